import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../../src");

/** Code that runs on behalf of requests. */
const folders = ["access", "call", "front-door", "http", "live", "memory", "redis", "rest", "rpc"];

/** Registers a callback that is called from the event loop. */
const registration =
  /\b(?:setTimeout|setReadTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\((?!\))|\.(?:on|once|addListener|prependListener|addEventListener)\(/;

/** Emitters whose `emit` is guarded, by the names that they have. */
const guardedEmitter =
  /\b(?:request|response|stream|socket|session|server|acceptor|source|latest|connection)\.(?:on|once|prependListener)\(/;

/** Callbacks that go through `guarded`, directly or by a name. */
const guardedCallback = /guarded\(|\((?:onTimeout|close|again)\b/;

/** Callbacks that need no guard, and why. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  // Settle a promise, and nothing else.
  "call/abortable.ts": ['signal.addEventListener("abort", stop, { once: true });'],
  "redis/connection.ts": [
    'redis.once("ready", resolve);',
    "const timer = setTimeout(() => {",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text.
    "setImmediate(() => reject(storeUnavailable(new Error(`no answer within ${ms} ms`))));",
    'redis.on("error", onFailure);',
  ],
  "memory/change-reader.ts": ["const timer = setTimeout(told, changeWaitMs);"],
  // Close a connection.
  "front-door/end-session.ts": ["setImmediate(destroy, session, error, code);"],
  "front-door/linger.ts": ["idle = setReadTimeout(destroy, idleLimit);"],
  "http/cut.ts": [
    "const linger = setReadTimeout(() => {",
    "const limit = setReadTimeout(resetOf(session.socket), pingMs).unref();",
    "setReadTimeout(() => {",
    "setReadTimeout(reset, closeMs).unref();",
  ],
  "front-door/protocol-sniffer.ts": [
    "const deadline = setReadTimeout(() => socket.destroy(), timeoutMs);",
  ],
  // Set a flag, or wake what waits on a promise.
  "live/watching.ts": ['signal.addEventListener("abort", leave, { once: true });'],
  "rpc/connect-node.ts": ['else signal.addEventListener("abort", abort, { once: true });'],
  "rpc/health/serving.ts": [
    'draining.addEventListener("abort", stop, { once: true });',
    "setTimeout(() => {",
    'signal.addEventListener("abort", leave, { once: true });',
  ],
  // Closes connections that flood, whose every step nghttp2 has counted; guards what it begins by itself.
  "front-door/http2-server.ts": [
    "const check = setInterval(() => {",
    "setImmediate(beginUnlessClosed, request, response, flood);",
  ],
  // Passes on a part of a body: what listeners throw is caught in `emit`.
  "http/http1-exchange.ts": ["setImmediate(passOnJoined, this);"],
  // Count requests, and read sockets again.
  "front-door/backlog.ts": ["timer = setTimeout(endPeriod, periodMs);"],
  "front-door/held-connections.ts": ["setImmediate(release);"],
  "front-door/reading-turns.ts": ["setImmediate(endIteration);"],
  // Asynchronous functions that give every error to the promises of their callers.
  "redis/turn-batch.ts": ["setImmediate(flush);"],
  "redis/kept-list.ts": ["setImmediate(begin, maxChangesAtOnce, changesOfList);"],
  "live/broadcast.ts": ["const heartbeat = setInterval(() => void beat(), heartbeatMs);"],
  // Listeners of HTTP/2 requests and responses are those of the stream.
  "http/http2-exchange.ts": [
    "this.stream.on(event, listener);",
    "this.stream.once(event, listener);",
  ],
};

const files = folders.flatMap((folder) =>
  readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);

test.each(files)("%s registers no callback without a guard", (file) => {
  const lines = readFileSync(join(src, file), "utf8").split("\n");
  const unguarded = lines.filter((line, index) => {
    const code = line.trim();
    if (!registration.test(code) || /^(?:\*|\/\/|on\(|once\()/.test(code)) return false;
    // A call may be broken over two lines.
    const call = `${code} ${lines[index + 1]?.trim()}`;
    return (
      !guardedEmitter.test(code) && !guardedCallback.test(call) && !harmless[file]?.includes(code)
    );
  });
  expect(unguarded.map((line) => line.trim())).toEqual([]);
});

test("no exception is for code that is not there any more", () => {
  for (const [file, allowed] of Object.entries(harmless)) {
    const text = readFileSync(join(src, file), "utf8");
    for (const code of allowed) expect(text).toContain(code);
  }
});

test("HTTP/2 sessions are never destroyed by a listener, which can crash the process", () => {
  const callers = files.filter((file) =>
    /\bsession\.destroy\(/.test(readFileSync(join(src, file), "utf8")),
  );
  expect(callers).toEqual(["front-door/end-session.ts"]);
});
