import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../../src");

/** Folders with code that handles requests. */
const folders = ["access", "call", "server", "http", "stores", "rest", "rpc", "services"];

/** Matches code that registers a callback of the event loop. */
const registration =
  /\b(?:setTimeout|setReadTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\((?!\))|\.(?:on|once|addListener|prependListener|addEventListener)\(/;

/** Matches emitters whose `emit` is guarded, by their variable names. */
const guardedEmitter =
  /\b(?:request|response|stream|socket|session|server|acceptor|source|latest|connection)\.(?:on|once|prependListener)\(/;

/** Matches callbacks that are wrapped by `guarded`. */
const guardedCallback = /guarded\(|\((?:onTimeout|onTimer|close|again)\b/;

/** Callbacks that need no guard, with the reason. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  // They only settle a promise.
  "call/abortable.ts": ['signal.addEventListener("abort", stop, { once: true });'],
  "stores/redis/connection/reply-deadline.ts": [
    "const timer = setTimeout(() => {",
    "setImmediate(() => reject(new Error(failure)));",
  ],
  // They keep the last error, settle a promise, write a log line, or close a connection.
  "stores/redis/connection/node.ts": [
    'redis.on("ready", () => void check(redis, redis.stream));',
    'redis.on("close", () => closed(redis));',
    "setTimeout(check, checkAgainMs, redis, stream).unref();",
    "if (fault) setTimeout(() => isReady() && reportWritable(), checkAgainMs).unref();",
    "const timer = setTimeout(() => resolve(false), timeoutMs);",
    'for (const client of fresh.all) client.once("error", () => resolve(false));',
    "const timer = setTimeout(() => redis.disconnect(), quitMs);",
  ],
  // It writes a log line.
  "access/admission/ban-watch.ts": [
    "open.set(keyId, { ban, timer: setTimeout(end, endsInMs, keyId, false).unref() });",
  ],
  // It sends a command, and its errors settle a promise.
  "stores/redis/connection/group-commit.ts": ["setImmediate(() => {"],
  // It sets two numbers.
  "call/slices.ts": ["setImmediate(() => {"],
  // It writes to a socket. Errors of that are events of the socket.
  "stores/redis/connection/send.ts": ["process.nextTick(() => stream.uncork());"],
  // They keep the last error.
  "stores/redis/connection/socket-errors.ts": [
    'redis.on("connecting", () => {',
    "setImmediate(() => {",
    'redis.stream?.on("error", () => {});',
    'redis.stream?.once("data", (first: Buffer) => {',
    'redis.on("error", (error: Error) => report(refusal ?? error));',
  ],
  // Errors of the work are caught.
  "stores/redis/connection/repeat.ts": ["if (!isStopped) timer = setTimeout(run, ms).unref();"],
  "stores/memory/history.ts": ["const timer = setTimeout(done, changeWaitMs);"],
  // They close a connection.
  "server/node-internals/end-session.ts": ["setImmediate(destroy, session, error, code);"],
  "server/connections/linger.ts": ["timeout = setReadTimeout(destroy, idle);"],
  "http/exchange/reset-unless-sent.ts": [
    "const linger = setReadTimeout(() => {",
    "const limit = setReadTimeout(() => resetConnection(socket), pingMs).unref();",
    "setReadTimeout(() => {",
    "setReadTimeout(() => resetConnection(socket), closeMs).unref();",
  ],
  "server/connections/listener.ts": [
    "const deadline = setReadTimeout(() => socket.destroy(), timeoutMs);",
  ],
  // They set a flag or settle a promise.
  "services/watch/watch-service.ts": ['signal.addEventListener("abort", leave, { once: true });'],
  "rpc/streaming.ts": ['else signal.addEventListener("abort", abort, { once: true });'],
  "rpc/health/serving-status.ts": [
    'stopping.addEventListener("abort", wakeAll, { once: true });',
    'draining.addEventListener("abort", stop, { once: true });',
    "setTimeout(() => {",
    'signal.addEventListener("abort", leave, { once: true });',
  ],
  // The first closes connections that flood. The second guards the request that it begins. The third sets timers.
  "server/connections/http2-server.ts": [
    "const check = setInterval(() => {",
    "setImmediate(beginUnlessClosed, response, flood);",
    "if (withoutBody.push(response) === 1) setImmediate(limitBodies);",
  ],
  // It runs work that catches its own errors.
  "http/tick-budget.ts": ["setImmediate(endTick, this);", "setTimeout(endTick, retryMs, this);"],
  // They begin connections, and catch their errors.
  "server/load/connection-turns.ts": [
    "process.nextTick(() => this.#done(address, begun, isLarge));",
    "setImmediate(() => setImmediate(() => this.#pause(address, begun)));",
    "if (ms >= heavyMs) setTimeout(() => this.#nextTick(), ms);",
    "setImmediate(() => this.#nextTick());",
  ],
  // It emits a chunk of a body: `emit` catches errors of the listeners.
  "http/exchange/http1-exchange.ts": ["setImmediate(flushJoined, this);"],
  // They count requests, or resume reading sockets.
  "server/load/admission-queue.ts": ["const timer = setTimeout(() => {"],
  "server/load/backlog.ts": ["timer = setTimeout(endPeriod, periodMs);"],
  "server/connections/held-connections.ts": ["setImmediate(release);"],
  "server/load/read-scheduler.ts": ["const atEndOfTick = () => setImmediate(endTick);"],
  // They are asynchronous functions that pass every error to the promises of their callers.
  "stores/redis/tick-batch.ts": ["setImmediate(flush);"],
  "stores/redis/stock/list-cache.ts": ["setImmediate(() => {"],
  "services/watch/snapshot-pages.ts": ["setImmediate(() => {"],
  "services/watch/broadcast.ts": ["const heartbeat = setInterval(() => void beat(), heartbeatMs);"],
  // The listeners of an HTTP/2 request or response are those of its stream, which is guarded.
  "http/exchange/http2-request.ts": [
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
    // A call may span two lines.
    const call = `${code} ${lines[index + 1]?.trim()}`;
    return (
      !guardedEmitter.test(code) && !guardedCallback.test(call) && !harmless[file]?.includes(code)
    );
  });
  expect(unguarded.map((line) => line.trim())).toEqual([]);
});

test("every exception matches a line of the source", () => {
  for (const [file, allowed] of Object.entries(harmless)) {
    const text = readFileSync(join(src, file), "utf8");
    for (const code of allowed) expect(text).toContain(code);
  }
});

test("only end-session.ts destroys HTTP/2 sessions, because a listener that does can crash the process", () => {
  const callers = files.filter((file) =>
    /\bsession\.destroy\(/.test(readFileSync(join(src, file), "utf8")),
  );
  expect(callers).toEqual(["server/node-internals/end-session.ts"]);
});
