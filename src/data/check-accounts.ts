import { keyHashLength } from "../access/api-key.ts";
import type { AccountEntry } from "./records.ts";

const plan = /^(?:disabled \d+ )?(?:free|pro|business|enterprise \d+ \d+)$/;
const keyRecord = /^(\S+) \d+ \d+ \d+ \d+ \d+ \d+$/;
const keyInfo = /^(\S+) \d+ /;

/**
 * Checks an account and its keys (see account.lua and key.lua).
 *
 * @param report called with each disagreement
 * @returns the number of its keys
 */
export function checkAccount(
  { account, created, fields }: AccountEntry,
  report: (problem: string) => void,
): number {
  if (fields.name === undefined || !plan.test(fields.plan ?? "")) {
    report(`account ${account} has no name or no valid plan`);
  }
  if (Number(fields.created) !== created) {
    report(`account ${account} was created at ${fields.created}, but the index has ${created}`);
  }
  let keys = 0;
  const hashes = new Set<string>();
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith("i:")) continue;
    keys += 1;
    const keyId = name.slice(2);
    const [, hash = ""] = keyInfo.exec(value) ?? [];
    hashes.add(hash);
    const [, owner] = keyRecord.exec(fields[hash] ?? "") ?? [];
    if (owner !== keyId) report(`key ${keyId} has no valid record`);
  }
  for (const name of Object.keys(fields)) {
    if (name.length === keyHashLength && !hashes.has(name)) {
      report(`account ${account} has the record of a key without an id`);
    }
  }
  if (Number(fields.keys ?? 0) !== keys) {
    report(`account ${account} has ${keys} keys, but counts ${fields.keys ?? 0}`);
  }
  return keys;
}
