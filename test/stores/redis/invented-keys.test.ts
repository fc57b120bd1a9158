import { expect, test } from "vitest";
import { someKey } from "../../support/accounts.ts";
import { collectGarbage } from "../../support/collect-garbage.ts";
import { readyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis();
const account = "aaaaaaaaaaaa";

function bytesInUse(): number {
  collectGarbage({ type: "major", execution: "sync" });
  return process.memoryUsage().heapUsed;
}

test("very many invented keys take a bounded part of the memory", async () => {
  const stores = await readyStores(redis.url);
  /** Twice as many as the process remembers. */
  const requests = 20_000;
  const admit = async () => {
    for (let sent = 0; sent < requests; sent += 500) {
      const some = Array.from({ length: 500 }, () => someKey(account).keyHash);
      const decisions = await Promise.all(
        some.map((keyHash) => stores.admission.admitKey(account, keyHash)),
      );
      expect(new Set(decisions.map(({ verdict }) => verdict))).toEqual(new Set(["unknown"]));
    }
  };
  await admit();
  const before = bytesInUse();
  await admit();
  await admit();
  // What the process remembers of each has more than 200 bytes.
  expect(bytesInUse() - before).toBeLessThan(2 * requests * 100);
});
