import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { dayMs } from "../../../src/common/durations.ts";
import { accountKey, topAccountsKey, topKeys } from "../../../src/stores/redis/keys.ts";

test.each(["aaaaaaaaaaaa", "7k2mq0x4v9ab", "zzzzzzzzzzzz"])(
  "the keys of account %s are where data of this format has them",
  (accountId) => {
    expect(accountKey(accountId)).toBe(`inv:{a${crc32(accountId) % 64}}:${accountId}`);
  },
);

const noon = Date.parse("2026-03-04T12:00:00Z");

test.each([
  ["yesterday", -dayMs],
  ["today", 0],
  ["tomorrow, by a clock of Redis that is ahead", dayMs],
])("an account is sought in the lists of top accounts of %s", (_, ms) => {
  const accountId = "7k2mq0x4v9ab";
  const day = (noon + ms) / dayMs - 0.5;
  const partition = crc32(accountId) % 64;
  const lists = (["requests", "refused"] as const).map((order) =>
    topAccountsKey(partition, order, day),
  );
  expect(topKeys(accountId, noon)).toEqual(expect.arrayContaining(lists));
});
