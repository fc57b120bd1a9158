import { once } from "node:events";
import { Agent, get } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { useRedis } from "../../support/stores.ts";
import { startLiveServer } from "../../system/harness/live-server.ts";

/** Requests of a round: enough to fill the queue of 2,048 spans three times. */
const requestsPerRound = 8_000;
const connections = 16;

/**
 * Most growth of the live objects after the first round, in bytes. The queue is full then. It allows for a batch of 512
 * spans that is being sent at the second measurement only. If the spans of the round stayed, they would take 8 MB.
 */
const mostGrowth = 2_000_000;

/** The most of a response that the exporter of OpenTelemetry reads, in bytes. */
const longestResponse = 4_194_304;

/** A collector that does not do its work. @param accept called with each connection */
async function listen(accept: (socket: Socket) => void): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    accept(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server;
}

const redis = useRedis("--appendonly", "yes");

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Sends requests one after the other on each connection. @returns the number of responses with status 200 */
async function round(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let left = requestsPerRound;
  let succeeded = 0;
  async function client(): Promise<void> {
    while (left-- > 0) {
      const request = get({ port, host: "127.0.0.1", path: "/livez", agent });
      const [response] = await once(request, "response");
      response.resume();
      await once(response, "end");
      if (response.statusCode === 200) succeeded += 1;
    }
  }
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return succeeded;
}

describe.each<[name: string, accept: (socket: Socket) => void, isOpen: boolean, growth: number]>([
  ["refuses connections", () => {}, false, mostGrowth],
  ["never responds", () => {}, true, mostGrowth],
  ["closes connections", (socket) => socket.destroy(), true, mostGrowth],
  [
    "sends an endless response",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const chunk = `1000\r\n${"a".repeat(4_096)}\r\n`;
      const timer = setInterval(() => socket.write(chunk), 5);
      socket.on("close", () => clearInterval(timer));
    },
    true,
    mostGrowth + longestResponse,
  ],
])("a collector that %s", (_, accept, isOpen, growth) => {
  test("costs no response and no memory", { timeout: 60_000 }, async () => {
    const collector = await listen(accept);
    const port = portOf(collector);
    if (!isOpen) collector.close();
    const server = await startLiveServer({
      REDIS_URL: redis.server.url,
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
    });
    onTestFinished(() => server.kill());
    expect(await round(server.port)).toBe(requestsPerRound);
    const before = await server.memory();
    expect(await round(server.port)).toBe(requestsPerRound);
    const after = await server.memory();
    expect(after.live - before.live).toBeLessThan(growth);
    expect(server.ended).toBeUndefined();
    const messages = () =>
      server.log.tail
        // The line with the settings is longer than what the log keeps of a line.
        .filter((line) => !line.includes('"level":30'))
        .map((line) => JSON.parse(line).msg)
        // Another slow test can keep the processor from Redis for longer than a reply may take.
        .filter((message) => !message.startsWith("redis "));
    await vi.waitFor(() => expect(messages()).toEqual(["spans are lost"]), { timeout: 5_000 });
  });
});
