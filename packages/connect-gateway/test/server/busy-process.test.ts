import { once } from "node:events";
import { BlockList, connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { startListener } from "./support/listener.ts";

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";
const timeoutMs = 1_000;
const { setTimeout: realSetTimeout } = globalThis;

/** Waits for the phase of the event loop in which node runs timers, before it reads from connections. */
const inTimersPhase = () => new Promise((resolve) => realSetTimeout(resolve));

/** Opens a connection to a listener whose timers are faked. */
async function connectToListener() {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const accepted = Promise.withResolvers<void>();
  const trustedProxies = new BlockList();
  // It is asked about each new connection.
  trustedProxies.check = () => {
    accepted.resolve();
    return false;
  };
  const { port } = await startListener({
    handle: (response) => response.end("served"),
    headersTimeoutMs: timeoutMs,
    trustedProxies,
  });
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await Promise.all([once(socket, "connect"), accepted.promise]);
  return socket;
}

test("200 for a request that arrived in time, even if the process was too busy to read it", async () => {
  const socket = await connectToListener();
  await inTimersPhase();
  socket.write(get);
  vi.advanceTimersByTime(timeoutMs);
  const [data] = await once(socket, "data");
  expect(String(data)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*served$/);
});

test("the connection of a client that sends nothing in time is closed", async () => {
  const socket = await connectToListener();
  socket.resume();
  vi.advanceTimersByTime(timeoutMs);
  const [hadError] = await once(socket, "close");
  expect(hadError).toBe(false);
});
