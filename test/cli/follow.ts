import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { directoryOfTest } from "../support/directory.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { nthVersion, someTime, useRedis } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";
import { runHere, startThere } from "./command-line.ts";

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

function versionsIn(content: string): number[] {
  return [...content.matchAll(/^\{"version":(\d+),/gm)].map(([, version]) => Number(version));
}

/** Offers a stock that changes, and a directory that `history follow` writes to, for each test. */
export function useFollow() {
  const redis = useRedis("--save", "");
  const clock = { now: 0 };
  const own: { stores?: Stores; directory: string } = { directory: "" };

  beforeAll(async () => {
    own.stores = openRedisStores(redis.url, { now: () => clock.now });
    await own.stores.ready(5_000);
  });
  afterAll(() => own.stores?.close());

  beforeEach(async () => {
    await redis.client.flushdb();
    clock.now = someTime;
    own.directory = join(directoryOfTest(), "changes");
  });

  function inventory() {
    if (!own.stores) throw new Error("no stores");
    return own.stores.inventory;
  }

  /** Changes pet 7 this many times. */
  async function change(times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      const item = {
        petId: 7n,
        quantity: Math.floor(Math.random() * 1_000),
        status: PetStatus.SOLD,
      };
      await inventory().put([item], origin);
    }
  }

  function follow(...more: string[]) {
    const args = ["history", "follow", own.directory, ...more];
    return runHere(args, { redisUrl: redis.url });
  }

  async function once(...more: string[]) {
    const outcome = await follow("--once", "--output=json", ...more);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    return JSON.parse(outcome.stdout) as { written: number; version: number; file: string | null };
  }

  async function files(): Promise<string[]> {
    return (await readdir(own.directory)).sort();
  }

  async function lines(): Promise<string[]> {
    const texts = (await files()).map((name) => readFile(join(own.directory, name), "utf8"));
    const whole = (await Promise.all(texts)).join("");
    expect(whole === "" || whole.endsWith("\n")).toBe(true);
    return whole.split("\n").slice(0, -1);
  }

  /** The numbers of the written changes, from 1. Works only while the clock is stopped. */
  async function written(): Promise<number[]> {
    return (await lines()).map((line) => JSON.parse(line).version - nth(1) + 1);
  }

  async function lastFile(): Promise<string> {
    return join(own.directory, (await files()).at(-1) ?? "");
  }

  /** Runs `history follow` in a child process, until the test ends. */
  function start(...more: string[]) {
    const child = startThere(["history follow", own.directory, ...more], redis.url);
    onTestFinished(async () => void (await child.end()));
    return child;
  }

  /** Waits until the files have a change of this version or a later one. */
  async function reached(version: number): Promise<void> {
    const isWritten = async () => {
      const names = await files().catch(() => []);
      const contents = await Promise.all(
        names.slice(-3).map((name) => readFile(join(own.directory, name), "utf8").catch(() => "")),
      );
      return contents.some((content) => versionsIn(content).some((each) => each >= version));
    };
    await until(`version ${version} is written`, isWritten, 20_000);
  }

  return {
    redis,
    clock,
    own,
    inventory,
    change,
    follow,
    once,
    files,
    lines,
    written,
    lastFile,
    start,
    reached,
  };
}
