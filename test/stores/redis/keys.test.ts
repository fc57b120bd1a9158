import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { accountKey } from "../../../src/stores/redis/keys.ts";

it.each(["aaaaaaaaaaaa", "7k2mq0x4v9ab", "zzzzzzzzzzzz"])(
  "the keys of account %s are where data of this format has them",
  (accountId) => {
    expect(accountKey(accountId)).toBe(`inv:{a${crc32(accountId) % 64}}:${accountId}`);
  },
);
