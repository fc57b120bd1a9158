import { encodeBase32 } from "../../src/access/base32.ts";
import { accountKey } from "../../src/stores/redis/keys.ts";

/** Returns ids of accounts, spread over all partitions. */
export function spreadIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => idAt(index));
}

/** Returns ids of accounts in one partition. */
export function togetherIds(count: number): string[] {
  const wanted = partitionOf(idAt(0));
  const ids: string[] = [];
  for (let index = 0; ids.length < count; index += 1) {
    if (partitionOf(idAt(index)) === wanted) ids.push(idAt(index));
  }
  return ids;
}

function idAt(index: number): string {
  return encodeBase32(index, 12);
}

/** Returns the beginning of an account's keys, which includes the hash tag of its partition. */
export function partitionOf(accountId: string): string {
  return accountKey(accountId).split("}", 1)[0] ?? "";
}
