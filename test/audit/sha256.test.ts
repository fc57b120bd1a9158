import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { useRedis } from "../support/stores.ts";

const redis = useRedis();
const lua = readFileSync(
  new URL("../../src/stores/redis/audit/sha256.lua", import.meta.url),
  "utf8",
);
const sha256 = (text: Buffer) => redis.client.eval(`${lua}\nreturn sha256(ARGV[1])`, 0, text);

it("agrees with OpenSSL for every length up to four blocks", async () => {
  for (let length = 0; length <= 256; length += 1) {
    const text = Buffer.alloc(length, `${length} ÿ`);
    expect(await sha256(text)).toBe(hash("sha256", text));
  }
});

it("agrees with OpenSSL for any bytes", async () => {
  const bytes = fc.uint8Array({ maxLength: 2_000 });
  await fc.assert(
    fc.asyncProperty(bytes, async (some) => {
      const text = Buffer.from(some);
      expect(await sha256(text)).toBe(hash("sha256", text));
    }),
    { numRuns: 300 },
  );
});
