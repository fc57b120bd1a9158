import { expect, onTestFinished, test, vi } from "vitest";
import { storeUnavailable } from "../../../src/stores/errors.ts";
import { startWatches, upTo } from "./support.ts";

test("a watch learns at once since when changes may be missing, also one that begins then", async () => {
  // A whole second, because each check of vi.waitUntil moves the clock by a few milliseconds.
  const start = 1_800_000_000_000;
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  onTestFinished(() => void vi.useRealTimers());
  const read = Promise.withResolvers<[]>();
  const interrupted = Promise.withResolvers<never>();
  const results: Promise<[]>[] = [Promise.resolve([]), read.promise, interrupted.promise];
  let reads = 0;
  const next = () => results[reads++] ?? new Promise<[]>(() => {});
  const { watch } = await startWatches(() => ({ readChanges: () => ({ next, close() {} }) }));

  const first = watch();
  await upTo("ready", first);
  vi.setSystemTime(start + 60_000);
  read.resolve([]);
  await vi.waitUntil(() => reads === 3, 10_000);
  vi.setSystemTime(start + 100_000);
  interrupted.reject(storeUnavailable(undefined));
  const seconds = BigInt(Math.floor((start + 60_000) / 1_000));
  const stale = { value: { event: { case: "heartbeat", value: { staleSince: { seconds } } } } };
  expect(await first.next()).toMatchObject(stale);

  const second = watch();
  await upTo("ready", second);
  expect(await second.next()).toMatchObject(stale);
});
