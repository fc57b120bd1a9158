import { Redis } from "ioredis";
import { type ApiKey, parseApiKey } from "../../src/access/api-key.ts";
import type { AdmissionStore } from "../../src/stores/admission-store.ts";
import { accountWindowsKey } from "../../src/stores/redis/keys.ts";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import { type Case, type Load, ours, type Run } from "../case.ts";
import { cpuMicros } from "../machine/process-use.ts";
import { ourServer } from "../servers.ts";

/** The number of decisions in one script call. */
const together = 16;

/** Calls the store directly, without a server: 16 decisions at a time. */
const decide: Load = async (run) => {
  const keys = run.data.keys.flatMap((secret) => parseApiKey(secret) ?? []);
  const stores = createRedisStores(run.redisUrl);
  try {
    await stores.ready(5_000);
    const before = cpuMicros(run.redisPid);
    let index = 0;
    const next = () => keys[index++ % keys.length];
    const decisions = await decideTogether(stores.admission, run.seconds, next);
    const used = cpuMicros(run.redisPid) - before;
    return { redisCpu: used / decisions, memory: await windowsBytes(run, keys[0]?.accountId) };
  } finally {
    await stores.close();
  }
};

/**
 * Requests decisions, 16 at a time.
 *
 * @param next returns the caller of the next request
 * @returns the number of decisions
 * @throws Error if a request was not admitted
 */
export async function decideTogether(
  admission: AdmissionStore,
  seconds: number,
  next: () => ApiKey | undefined,
): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let decisions = 0;
  while (performance.now() < end) {
    const callers = Array.from({ length: together }, next).filter((key) => key !== undefined);
    await admitAll(admission, callers);
    decisions += callers.length;
  }
  return decisions;
}

/** @throws Error if a request was not admitted */
export async function admitAll(
  admission: AdmissionStore,
  callers: readonly ApiKey[],
): Promise<void> {
  const decided = await Promise.all(
    callers.map(({ accountId, hash }) => admission.admitKey(accountId, hash)),
  );
  if (decided.some(({ verdict }) => verdict !== "admitted")) {
    throw new Error("a request was not admitted");
  }
}

/** The memory of an account's two windows. It does not depend on the number of requests. */
async function windowsBytes({ redisUrl }: Run, accountId = ""): Promise<number> {
  const redis = new Redis(redisUrl);
  const bytes = await redis.memory("USAGE", accountWindowsKey(accountId));
  redis.disconnect();
  return bytes ?? 0;
}

export const limiterCase: Case = {
  name: "limiter",
  about: "Decisions on key, ban and both windows, 16 in one script call",
  items: 10,
  callsOwnCode: true,
  contestants: [{ name: ours, server: ourServer, load: decide }],
};
