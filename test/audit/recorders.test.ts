import { setImmediate as nextTick } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { expect, onTestFinished, test, vi } from "vitest";
import { GetAccountRequestSchema } from "../../gen/admin/v1/admin_pb.ts";
import { callerOf } from "../../src/access/caller.ts";
import { createTrail } from "../../src/audit/audit-log.ts";
import { createRefusalCounter } from "../../src/audit/refusals.ts";
import { recordedSometimes } from "../../src/audit/repeated-reads.ts";
import { minuteMs } from "../../src/common/durations.ts";
import { createMemoryAuditStore } from "../../src/stores/memory/audit-store.ts";
import { contextOf } from "../support/context.ts";

test("counts refused calls together with those that could not be recorded", async () => {
  const store = createMemoryAuditStore(() => 0);
  let isReachable = false;
  const append = async (body: string) => {
    if (!isReachable) throw new Error("no database");
    return store.append(body);
  };
  const trail = createTrail({ audit: { ...store, append } }, () => {});
  const counter = createRefusalCounter(trail, "s", () => expect.unreachable());
  const refuse = (keyId: string) => counter.count({ keyId } as never);
  for (const keyId of ["a", "b", "a"]) refuse(keyId);
  await expect(counter.flush()).rejects.toThrow("no database");
  refuse("c");
  isReachable = true;
  await counter.flush();
  await counter.flush();
  const { entries } = await store.read(undefined, 10);
  expect(entries.map(({ body }) => JSON.parse(body).refused)).toEqual([
    { count: 4, keys: ["a", "b", "c"] },
  ]);
});

test("records refused calls within a minute, and tries again each minute until the trail has them", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMemoryAuditStore(() => 0);
  let attempts = 0;
  const append = async (body: string) => {
    attempts += 1;
    if (attempts < 3) throw new Error("no database");
    return store.append(body);
  };
  const trail = createTrail({ audit: { ...store, append } }, () => {});
  const counter = createRefusalCounter(trail, "s", () => expect.unreachable());
  counter.count({ keyId: "a" } as never);
  const attemptsAfter: number[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    vi.advanceTimersByTime(minuteMs);
    await nextTick();
    attemptsAfter.push(attempts);
  }
  expect(attemptsAfter).toEqual([1, 2, 3, 3]);
  const { entries } = await store.read(undefined, 10);
  expect(entries.map(({ body }) => JSON.parse(body).refused)).toEqual([{ count: 1, keys: ["a"] }]);
});

test("records repeated reads once in ten minutes for each key and each account that is read", async () => {
  const clock = { now: 0 };
  const recorded: string[] = [];
  const recorder = recordedSometimes(
    {
      async record(request, context, work) {
        const { accountId } = request as unknown as { accountId: string };
        recorded.push(`${callerOf(context).keyId} ${accountId}`);
        return work();
      },
      refuse: async () => {},
    },
    () => clock.now,
  );
  const read = (keyId: string, accountId: string) => {
    const request = create(GetAccountRequestSchema, { accountId });
    return recorder.record(request, contextOf({ accountId, keyId }), async () => request);
  };
  for (const [keyId, accountId] of [
    ["k", "aaaaaaaaaaaa"],
    ["k", "bbbbbbbbbbbb"],
    ["l", "aaaaaaaaaaaa"],
    ["k", "aaaaaaaaaaaa"],
  ] as const) {
    await read(keyId, accountId);
  }
  expect(recorded).toEqual(["k aaaaaaaaaaaa", "k bbbbbbbbbbbb", "l aaaaaaaaaaaa"]);
  clock.now += 10 * minuteMs;
  await read("k", "aaaaaaaaaaaa");
  expect(recorded).toHaveLength(4);
});
