import { gzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, expect, test } from "vitest";
import { CallerWork } from "../../src/http/caller-work.ts";
import { codings } from "../../src/http/content/coding.ts";
import { toContent } from "../../src/http/content/content.ts";

/** Longer than the budget of an event-loop tick, in milliseconds. */
const expensiveMs = 5;

let work: CallerWork;

beforeEach(() => {
  work = new CallerWork();
});

/** Makes what work needs of a context. @param deadline when the client stops waiting */
function contextOf(owner: string, deadline?: number) {
  return { owner, deadline, response: { destroyed: false } };
}

/** Keeps the thread busy. */
function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Runs work for a caller, without arguments. */
function run<T>(
  caller: string,
  what: () => T,
  { context = contextOf(caller), bytes = 0 } = {},
): T | Promise<Awaited<T>> {
  return work.run(context, { length: bytes }, what);
}

const spendTick = () => run("expensive", () => busy(expensiveMs));

async function codeOf(result: () => unknown): Promise<Code | undefined> {
  try {
    await result();
    return undefined;
  } catch (error) {
    return ConnectError.from(error).code;
  }
}

test("work runs at once while the tick has time", () => {
  expect(run("a", () => 1)).toBe(1);
});

test("work after expensive work waits for a later tick", async () => {
  spendTick();
  const later = run("cheap", () => 1);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(1);
});

test("a caller with cheap work does not wait for the expensive work of others", async () => {
  const done: string[] = [];
  const expensive = Array.from({ length: 20 }, () =>
    run("expensive", () => {
      busy(expensiveMs);
      done.push("expensive");
    }),
  );
  await run("cheap", () => done.push("cheap"));
  expect(done.length).toBeLessThan(5);
  await Promise.all(expensive);
  expect(done.filter((each) => each === "expensive").length).toBe(20);
});

test("a caller's work waits for its own earlier work", async () => {
  const done: number[] = [];
  spendTick();
  const results = [1, 2, 3].map((n) => run("a", () => done.push(n)));
  await Promise.all(results);
  expect(done).toEqual([1, 2, 3]);
});

test("the requests that wait have a limit in bytes, for each owner", async () => {
  spendTick();
  const bytes = 1024 * 1024;
  const waiting = Array.from({ length: 8 }, () => run("a", () => 1, { bytes }));
  expect(await codeOf(() => run("a", () => 1, { bytes }))).toBe(Code.Unavailable);
  expect(await run("b", () => 1, { bytes })).toBe(1);
  await Promise.all(waiting);
  expect(await run("a", () => 1, { bytes })).toBe(1);
  // They have given their bytes back.
  spendTick();
  expect(await run("a", () => 2, { bytes: 8 * bytes })).toBe(2);
});

test("a few owners cannot take all the bytes of requests that wait", async () => {
  spendTick();
  const bytes = 1024 * 1024;
  const waiting: unknown[] = [];
  for (let owner = 0; owner < 20; owner++) {
    for (let n = 0; n < 8; n++) {
      try {
        waiting.push(run(`greedy ${owner}`, () => 1, { bytes }));
      } catch {
        // There is no more room for this owner.
      }
    }
  }
  expect(await run("other", () => 1, { bytes: 256 * 1024 })).toBe(1);
  await Promise.all(waiting);
});

test("a coded response does not wait, and two others are compressed or decompressed at once", async () => {
  const long = crypto.getRandomValues(new Uint8Array(60_000));
  for (const kind of ["compress", "decompress"] as const) {
    work = new CallerWork();
    const gate = Promise.withResolvers<void>();
    let running = 0;
    const code = async () => {
      running += 1;
      await gate.promise;
      return Buffer.alloc(1);
    };
    const coder = { compress: code, decompress: code } as never;
    const content = (text: string) => toContent("text/plain", text);
    const start = {
      compress: () => work.compress(contextOf("a"), content("long"), coder),
      decompress: () => decompress("a", long, coder),
    };
    const coded = content("coded");
    coded.coded = new Map([[coder, Promise.resolve(Buffer.alloc(2))]]);
    const results = Array.from({ length: 5 }, start[kind]);
    expect(await work.compress(contextOf("a"), coded, coder)).toHaveLength(2);
    expect(running).toBe(2);
    gate.resolve();
    expect(await Promise.all(results)).toHaveLength(5);
    expect(running).toBe(5);
  }
});

test("a failed call of the work rejects, now or later", async () => {
  const fail = () => {
    throw new ConnectError("wrong", Code.InvalidArgument);
  };
  expect(await codeOf(() => run("a", fail))).toBe(Code.InvalidArgument);
  spendTick();
  expect(await codeOf(() => run("a", fail))).toBe(Code.InvalidArgument);
});

const gzip = codings.find(({ name }) => name === "gzip");

function decompress(caller: string, data: Uint8Array, coding = gzip) {
  if (!coding) throw new Error("there is no gzip");
  const decompressionFault = (error: unknown) => error as Error;
  const context = { ...contextOf(caller), maxMessageBytes: 64 * 1024, decompressionFault };
  return work.decompress(context, data, coding);
}

test("short data is decompressed at once, and long data in the thread pool", async () => {
  const short = gzipSync(Buffer.alloc(60_000));
  expect(decompress("a", short)).toEqual(Buffer.alloc(60_000));
  const data = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)));
  const long = decompress("a", gzipSync(data));
  expect(long).toBeInstanceOf(Promise);
  expect(await long).toEqual(data);
});

/** A long call that ends when `end` is called. */
function longCall(caller: string, { context = contextOf(caller) } = {}) {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const call = { isRunning: false, end, result: Promise.resolve() };
  call.result = work.runLong(context, async () => {
    call.isRunning = true;
    await promise;
  });
  // Tests that expect an error await the result later.
  call.result.catch(() => undefined);
  return call;
}

test("two long calls run at once, and those of another caller go before further ones", async () => {
  const [first, second, ...others] = Array.from({ length: 20 }, () => longCall("greedy"));
  const running = () => others.filter(({ isRunning }) => isRunning).length;
  expect([first?.isRunning, second?.isRunning, running()]).toEqual([true, true, 0]);
  // The time of a call counts as use of its caller.
  busy(expensiveMs);
  first?.end();
  await expect.poll(running).toBe(1);
  const other = longCall("other");
  second?.end();
  await expect.poll(() => other.isRunning).toBe(true);
  expect(running()).toBe(1);
  for (const each of [...others, other]) each.end();
  await Promise.all([...others, other].map(({ result }) => result));
});

test("a waiting long call of a disconnected client does not run, nor one after its deadline", async () => {
  const running = [longCall("a"), longCall("a")];
  const context = contextOf("a");
  const disconnected = longCall("a", { context });
  const late = longCall("a", { context: contextOf("a", performance.now() - 500) });
  context.response.destroyed = true;
  for (const each of running) each.end();
  expect(await codeOf(() => disconnected.result)).toBe(Code.Canceled);
  expect(await codeOf(() => late.result)).toBe(Code.DeadlineExceeded);
  expect([disconnected.isRunning, late.isRunning]).toEqual([false, false]);
});

test("the long calls that wait have a limit, and each caller has a share of it", async () => {
  const calls = Array.from({ length: 1_025 }, () => longCall("greedy"));
  expect(await codeOf(() => longCall("greedy").result)).toBe(Code.Unavailable);
  const other = longCall("other");
  for (const each of [...calls, other]) each.end();
  await Promise.all([...calls, other].map(({ result }) => result));
  const again = longCall("greedy");
  again.end();
  await again.result;
});

test("the streams that wait to begin have a limit, and each caller has a share of it", async () => {
  let begun = 0;
  const count = () => {
    begun += 1;
  };
  const begin = (caller: string) => work.begin(contextOf(caller), "", count);
  const streams = Promise.allSettled(Array.from({ length: 1_100 }, () => begin("greedy")));
  expect(await codeOf(() => begin("greedy"))).toBe(Code.Unavailable);
  await begin("other");
  expect(begun).toBeLessThan(500);
  const refused = (await streams).filter(({ status }) => status === "rejected");
  expect(begun + refused.length).toBe(1_101);
  expect(refused.length).toBeGreaterThan(0);
  await begin("greedy");
});

test("open streams do not count among those that wait to begin", async () => {
  const end = Promise.withResolvers<void>();
  const streams: Promise<void>[] = [];
  // More than may wait at once.
  for (let n = 0; n < 2_100; n++) {
    const begun = Promise.withResolvers<void>();
    const stream = work.begin(contextOf("a"), "", () => {
      begun.resolve();
      return end.promise;
    });
    streams.push(stream);
    await Promise.race([begun.promise, stream]);
  }
  end.resolve();
  await expect(Promise.all(streams)).resolves.toHaveLength(2_100);
});
