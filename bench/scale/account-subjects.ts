import type { ApiKey } from "../../src/access/api-key.ts";
import type { Stores } from "../../src/stores.ts";
import { decideTogether } from "../cases/limiter.ts";
import { keyOf } from "./accounts.ts";
import { costsOf } from "./cost.ts";
import type { Subject } from "./subject.ts";

/** So many accounts, each with windows. */
export interface AccountStage {
  readonly accounts: number;
  readonly stores: Stores;
  readonly redisPid: number;
  /** Memory that Redis has in use for all of them. */
  readonly bytes: number;
}

/** Accounts that are busy, where not all are. */
const busyAccounts = 1_000;

async function decide(
  { stores, redisPid }: AccountStage,
  seconds: number,
  next: () => ApiKey,
): Promise<number> {
  const [, redis] = await costsOf([process.pid, redisPid], () =>
    decideTogether(stores.admission, seconds, next),
  );
  return redis;
}

function anyKey(accounts: number): ApiKey {
  return keyOf(Math.floor(Math.random() * accounts));
}

/**
 * Decisions by the store itself, 16 at a time, without a server before it. Who has not called within a
 * second begins another bucket of the minute, which is dearer: with more accounts there are more of those.
 * Beside it, therefore, no more callers than 1,000.
 */
const limiter: Subject<AccountStage> = {
  title: "A decision of the limiter",
  lines: [
    { name: "all call", unit: "Redis µs" },
    { name: "1,000 call", unit: "Redis µs" },
  ],
  async measure(stage, seconds) {
    const busy = Array.from({ length: busyAccounts }, () => anyKey(stage.accounts));
    let turn = 0;
    return [
      await decide(stage, seconds, () => anyKey(stage.accounts)),
      await decide(stage, seconds, () => busy[turn++ % busyAccounts] ?? anyKey(stage.accounts)),
    ];
  },
};

/** Memory by what Redis has in use, so that the index of all accounts is in it too. */
const memory: Subject<AccountStage> = {
  title: "Redis memory of an account, with windows",
  lines: [{ name: "Redis", unit: "bytes" }],
  cold: true,
  async measure({ accounts, bytes }) {
    return [bytes / accounts];
  },
};

export const accountSubjects: readonly Subject<AccountStage>[] = [memory, limiter];
