import { BlockList } from "node:net";
import { describe, expect, test } from "vitest";
import { clientAddress } from "../../../packages/connect-gateway/src/http/client-address.ts";
import { createAdmitter } from "../../../src/admission/admission.ts";
import { credentialsOf } from "../../../src/admission/credentials.ts";
import { useReadyStores, useRedis } from "../../support/stores.ts";

/** With options, so that this file has its own Redis. */
const redis = useRedis("--appendonly", "no");

/** The most memory in Redis for requests without a valid key, in bytes, as documented. */
const bound = 50_000_000;

const hex = (value: number) => value.toString(16);
const kinds: readonly (readonly [name: string, count: number, (index: number) => string])[] = [
  ["/64s of one /46", 200_000, (i) => `2001:db8:${hex(i >> 16)}:${hex(i & 0xffff)}::1`],
  [
    "/64s, each in another /48",
    60_000,
    (i) => `2001:${hex(0xdb8 + (i >> 16))}:${hex(i & 0xffff)}:1::1`,
  ],
  ["IPv4 addresses", 60_000, (i) => `${11 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}.7`],
];

describe("memory in Redis", () => {
  const own = useReadyStores(redis);

  async function usedMemory(): Promise<number> {
    return Number(/used_memory:(\d+)/.exec(await redis.client.info("memory"))?.[1]);
  }

  test("is bounded for requests from 320,000 addresses behind a trusted proxy", async () => {
    const trustedProxies = new BlockList();
    trustedProxies.addAddress("127.0.0.1", "ipv4");
    const { admit } = createAdmitter({
      store: own.stores.admission,
      anonymousLimits: { perMinute: 600, perDay: 10_000 },
    });
    const request = (forwardedFor: string) =>
      admit({
        ...credentialsOf(),
        address: () => clientAddress("127.0.0.1", forwardedFor, trustedProxies),
        network: () => "",
      });
    await request("192.0.2.1");
    const before = await usedMemory();
    for (const [, count, addressOf] of kinds) {
      for (let from = 0; from < count; from += 500) {
        const all = Array.from({ length: 500 }, (_, i) => addressOf(from + i));
        // On a busy machine some requests may time out. They are sent again.
        for (let left = all; left.length > 0; ) {
          const sent = await Promise.allSettled(left.map(request));
          left = left.filter((_, index) => sent[index]?.status === "rejected");
        }
      }
      expect((await usedMemory()) - before).toBeLessThan(bound);
    }
    // Nearly all counters are in use now, so more addresses take no more memory.
    expect(await redis.client.dbsize()).toBeGreaterThan(0.9 * 65_536);
    expect(await redis.client.dbsize()).toBeLessThanOrEqual(65_536);
  }, 120_000);
});
