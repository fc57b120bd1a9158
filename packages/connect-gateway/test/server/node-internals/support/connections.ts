import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished } from "vitest";

/** Lets a server of node listen until the test ends. Returns its port. */
export async function listenForTest(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Connects a client until the test ends. It ignores errors. */
export function connectForTest(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Makes a connection. Returns both of its ends. */
export async function socketPair(): Promise<{ client: Socket; served: Socket }> {
  const server = createServer();
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connectForTest(await listenForTest(server));
  const [served] = await accepted;
  served.on("error", () => {});
  onTestFinished(() => void served.destroy());
  return { client, served };
}

/** A client whose first requests the server's socket has buffered. */
export async function bufferedRequests(
  paths: readonly string[],
  minBytes: number,
): Promise<Socket> {
  const { client, served } = await socketPair();
  const session = connectHttp2("http://test", { createConnection: () => client });
  session.on("error", () => {});
  onTestFinished(() => void session.destroy());
  for (const path of paths) session.request({ ":path": path }).on("error", () => {});
  served.on("readable", () => {});
  await expect.poll(() => served.readableLength).toBeGreaterThan(minBytes);
  served.removeAllListeners("readable");
  return served;
}
