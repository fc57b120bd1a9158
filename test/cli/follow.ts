import { beforeEach, expect } from "vitest";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { nthVersion, someTime, useReadyStores, useRedis } from "../support/stores.ts";
import { runHere } from "./command-line.ts";

export const origin = {
  reason: ChangeReason.ARRIVAL,
  note: "“as new”",
  reference: "PO-17",
  accountId: "aaaaaaaaaaaa",
  keyId: "aaaaaaaaaaaabbbbbbbb",
  requestId: "till-3:0042",
};

export const nth = (n: number) => Number(nthVersion(n));

/** The integers from one to another. */
export const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The numbers of printed changes, from 1. Works only while the clock is stopped. */
export function numbersIn(lines: string): number[] {
  return [...lines.matchAll(/^\{"version":(\d+),.*\}$/gm)].map(
    ([, version]) => Number(version) - nth(1) + 1,
  );
}

/** Offers a stock that changes, and the commands that follow it. */
export function useFollow() {
  const redis = useRedis("--save", "");
  const clock = { now: 0 };
  const own = useReadyStores(redis, { now: () => clock.now });
  const stores = () => own.stores;

  beforeEach(async () => {
    await redis.client.flushdb();
    clock.now = someTime;
  });

  /** Changes pet 7 this many times. */
  async function change(times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      const quantity = Math.floor(Math.random() * 1_000);
      await stores().catalog.put([{ petId: 7n, quantity, status: PetStatus.SOLD }], origin);
    }
  }

  const follow = (...more: string[]) =>
    runHere(["history follow", "archive", ...more], { redisUrl: redis.url });

  /** Prints the changes so far. @returns the lines */
  async function once(...more: string[]): Promise<string> {
    const outcome = await follow("--once", ...more);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    return outcome.stdout;
  }

  return { redis, clock, stores, change, follow, once };
}
