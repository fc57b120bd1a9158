import type { ApiKey } from "../../src/access/api-key.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { decideTogether } from "../cases/limiter.ts";
import { keyOf } from "./accounts.ts";
import { costsOf } from "./cost.ts";
import type { Subject } from "./subject.ts";

/** A number of accounts, each with windows. */
export interface AccountStage {
  readonly accounts: number;
  readonly stores: Stores;
  readonly redisPid: number;
  /** The memory that Redis uses for all of them. */
  readonly bytes: number;
}

/** The number of active accounts, if not all are active. */
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
 * Decisions of the store, 16 at a time, without a server. A caller that pauses for a second begins another bucket of its
 * minute, which costs more and happens more often with more accounts. So a second line has at most 1,000 callers.
 */
const limiter: Subject<AccountStage> = {
  title: "A decision of the limiter",
  lines: [
    { name: "all accounts active", unit: "Redis µs" },
    { name: "at most 1,000 active", unit: "Redis µs" },
  ],
  async measure(stage, seconds) {
    const busy = Array.from({ length: busyAccounts }, () => anyKey(stage.accounts));
    let index = 0;
    return [
      await decide(stage, seconds, () => anyKey(stage.accounts)),
      await decide(stage, seconds, () => busy[index++ % busyAccounts] ?? anyKey(stage.accounts)),
    ];
  },
};

/** The memory that Redis uses, which includes the index of all accounts. */
const memory: Subject<AccountStage> = {
  title: "Redis memory of an account, with windows",
  lines: [{ name: "Redis", unit: "bytes" }],
  cold: true,
  async measure({ accounts, bytes }) {
    return [bytes / accounts];
  },
};

export const accountSubjects: readonly Subject<AccountStage>[] = [memory, limiter];
