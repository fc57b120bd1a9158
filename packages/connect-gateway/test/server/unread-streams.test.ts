import { once } from "node:events";
import { connect, constants } from "node:http2";
import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { until } from "../../../../test/system/harness/until.ts";
import { Http2Exchange } from "../../src/http/exchange/http2-exchange.ts";
import { startListener } from "./support/listener.ts";

const streams = 200;
/** Fewer bytes than the unread responses of all streams take, and more than those of the streams that begin at once. */
const maxBytesPerAddress = 2e6;
/** Most streams that may end in one iteration of the event loop: those of four steps. */
const mostAtOnce = 64;

/** Leaves responses unread. @returns the connection, which is reset */
function leaveUnread(url: string) {
  const session = connect(url, { settings: { initialWindowSize: 0 } });
  onTestFinished(() => session.destroy());
  session.on("error", () => {});
  for (let n = 0; n < streams; n++) session.request().on("error", () => {});
  return session;
}

test("a connection with many unread streams loses a few in each iteration of the event loop", async () => {
  let ended = 0;
  const dropped: string[] = [];
  const { url } = await startListener({
    handle: (response) => void response.end("short"),
    onRequestEnd: () => {
      ended += 1;
    },
    onConnectionDropped: (cause) => dropped.push(cause),
    unread: { maxBytes: 1e9, maxBytesPerAddress },
  });
  const session = leaveUnread(url);
  let most = 0;
  // The last streams may not have begun when the connection is closed.
  for (let before = 0; !session.destroyed; before = ended) {
    await nextIteration();
    most = Math.max(most, ended - before);
  }
  expect(ended).toBeGreaterThan(2 * mostAtOnce);
  expect(most).toBeLessThanOrEqual(mostAtOnce);
  expect(dropped).toEqual(["MAX_UNREAD_BYTES_PER_ADDRESS"]);
});

test("afterwards, the address is served as before", async () => {
  const { url } = await startListener({
    handle: (response) => void response.end("short"),
    unread: { maxBytes: 1e9, maxBytesPerAddress },
  });
  const lost = leaveUnread(url);
  await until("the connection is closed", () => lost.destroyed);
  const session = connect(url);
  onTestFinished(() => session.destroy());
  const responses = Array.from({ length: 100 }, () => once(session.request(), "response"));
  for (const [headers] of await Promise.all(responses)) expect(headers[":status"]).toBe(200);
});

test("a response that is handed over after its stream was reset takes no memory of its address", async () => {
  const late: (() => void)[] = [];
  const held: number[] = [];
  const { url } = await startListener({
    handle(response) {
      if (!(response instanceof Http2Exchange)) throw new Error("not over HTTP/2");
      const { unread } = response;
      if (!unread) throw new Error("memory is not counted");
      vi.spyOn(unread, "hold").mockImplementation((bytes) => void held.push(bytes));
      // Connect ends a cancelled stream a few microtasks after the stream was closed.
      response.stream.once("close", () => late.push(() => response.handOver()));
    },
    unread: { maxBytes: 1e9, maxBytesPerAddress },
  });
  const session = connect(url);
  onTestFinished(() => session.destroy());
  const request = session.request().on("error", () => {});
  request.close(constants.NGHTTP2_CANCEL);
  await until("the stream is closed", () => late.length === 1);
  late[0]?.();
  expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBe(0);
});

test("streams that have ended take no memory of their address while their connection stays open", async () => {
  const dropped: string[] = [];
  const { url } = await startListener({
    handle: (response) => void response.end("short"),
    onConnectionDropped: (cause) => dropped.push(cause),
    unread: { maxBytes: 1e9, maxBytesPerAddress },
  });
  const session = connect(url);
  onTestFinished(() => session.destroy());
  session.on("error", () => {});
  for (let sent = 0; sent < 5 * streams; sent += 50) {
    const responses = Array.from({ length: 50 }, () => once(session.request().resume(), "close"));
    await Promise.all(responses);
  }
  expect([session.destroyed, dropped]).toEqual([false, []]);
});
