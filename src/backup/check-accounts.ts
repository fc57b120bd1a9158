import { accountOfKeyId, keyHashLength } from "../access/api-key.ts";
import { banLadderMs } from "../access/bans.ts";
import { restrictedBit, scopeMask, scopes } from "../access/scopes.ts";
import { dayMs } from "../call/durations.ts";
import type { AccountEntry } from "./records.ts";

const plan = /^(?:disabled \d+ )?(?:free|pro|business|enterprise [1-9]\d* [1-9]\d*)(?: strict)?$/;
/** A valid record of a key (see accounts.lua): its id, scopes, expiry, revocation, level of ban, and end of the ban. */
export const keyRecord = /^(\S+) (\d+) \d+ (\d+) (\d+) (\d+) (\d+)$/;
const keyInfo = /^(\S+) (\d+) /;
/** The networks of a restricted key (see network.ts). */
const keyNetworks = /^(?:(?:4[01]{0,32}|6[01]{0,128})(?: (?!$)|$))+$/;
const keyHash = /^[A-Za-z0-9_-]{43}$/;

/** The fields of an account, in addition to those of its keys. */
const ownFields: ReadonlySet<string> = new Set(["name", "plan", "created", "keys"]);

/** How far the clocks of two servers of Redis may differ, in milliseconds: a failover changes the clock. */
const clockSkewMs = dayMs;

/** The mask of all scopes. */
const allScopes = scopeMask(scopes);

/**
 * Reports what disagrees, in one line.
 *
 * @param accountId if what is wrong follows from this account, so that it can be repaired
 */
export type Report = (problem: string, accountId?: string) => void;

/**
 * Checks an account and its keys (see accounts.lua).
 *
 * @param report called with each disagreement
 * @returns the number of its keys
 */
export function checkAccount({ account, created, fields }: AccountEntry, report: Report): number {
  if (fields.name === undefined || !plan.test(fields.plan ?? "")) {
    report(`account ${account} has no name or no valid plan`);
  }
  if (!/^\d+$/.test(fields.created ?? "")) {
    report(`account ${account} has no time of creation`);
  } else if (Number(fields.created) !== created) {
    report(
      `account ${account} was created at ${fields.created}, but the index has ${created}`,
      account,
    );
  }
  let keys = 0;
  const hashes = new Set<string>();
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith("i:")) continue;
    keys += 1;
    const keyId = name.slice(2);
    const [, hash = "", createdAt] = keyInfo.exec(value) ?? [];
    if (hashes.has(hash)) report(`key ${keyId} has the hash of another key`);
    hashes.add(hash);
    if (accountOfKeyId(keyId) !== account) report(`key ${keyId} is not of account ${account}`);
    const record = fields[hash] ?? "";
    const problem = recordProblem(keyId, hash, record, Number(createdAt), fields[`a:${keyId}`]);
    if (problem !== undefined) report(`key ${keyId} ${problem}`);
  }
  for (const name of Object.keys(fields)) {
    if (name.length === keyHashLength) {
      if (!hashes.has(name)) report(`account ${account} has the record of a key without an id`);
    } else if (!/^[ia]:/.test(name) && !ownFields.has(name)) {
      report(`account ${account} has the unknown field ${name}`);
    }
  }
  if (Number(fields.keys ?? 0) !== keys) {
    report(`account ${account} has ${keys} keys, but counts ${fields.keys ?? 0}`, account);
  }
  return keys;
}

/** Checks the record of a key (see accounts.lua). @returns what is wrong; undefined if nothing is */
function recordProblem(
  keyId: string,
  hash: string,
  record: string,
  createdAt: number,
  networks: string | undefined,
): string | undefined {
  const [, owner, ...numbers] = keyRecord.exec(record) ?? [];
  if (owner !== keyId || !keyHash.test(hash)) return "has no valid record";
  const [mask = 0, expires = 0, revoked = 0, level = 0, banned = 0] = numbers.map(Number);
  const scopeBits = mask & ~restrictedBit;
  if (scopeBits < 1 || scopeBits > allScopes) return `has the scopes ${mask}, which cannot be`;
  if (mask === scopeBits ? networks !== undefined : !keyNetworks.test(networks ?? "")) {
    return "has no valid networks";
  }
  if (expires !== 0 && expires < createdAt - clockSkewMs) return "expires before it was created";
  if (revoked !== 0 && revoked < createdAt - clockSkewMs)
    return "was revoked before it was created";
  if (level > banLadderMs.length || level > 0 !== banned > 0) {
    return `has the level of ban ${level}, which cannot be`;
  }
  return undefined;
}
