import { accountOfKeyId } from "../../../access/api-key.ts";
import { banEnd } from "../../../access/bans.ts";
import { scopesOf } from "../../../access/scopes.ts";
import { minuteMs } from "../../../common/durations.ts";
import type { KeyRecord } from "../../account-store.ts";
import { accountKey } from "../keys.ts";
import { recordFields } from "../record.ts";

/** The stored form of a key: its id, and the fields that accounts.lua describes. */
export type KeyFields = readonly [
  id: string,
  info: string | null | undefined,
  record: string | null | undefined,
  networks?: string | null | undefined,
];

/** Returns the stored forms of all keys of an account. @param fields those of the account */
export function keysOf(fields: Readonly<Record<string, string>>): KeyFields[] {
  return Object.entries(fields).flatMap(([name, info]): KeyFields[] => {
    const keyId = name.startsWith("i:") ? name.slice(2) : undefined;
    if (keyId === undefined) return [];
    return [[keyId, info, fields[info.slice(0, info.indexOf(" "))], fields[`a:${keyId}`]]];
  });
}

const infoForm = /^(\S+) (\d+) (.*)$/s;
const keyForm = /^\S+ (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$/;

/** Returns the hash of a key, when it was created, and its name. @throws Error if the field is damaged */
export function keyInfo([keyId, info]: KeyFields) {
  const key = accountKey(accountOfKeyId(keyId));
  return recordFields(infoForm, info, key, `i:${keyId}`);
}

/** Returns the numbers of a key's record (see read_key), from its scopes on. @throws Error if it is damaged */
function keyNumbers([keyId, , record]: KeyFields) {
  const key = accountKey(accountOfKeyId(keyId));
  const fields = recordFields(keyForm, record, key, `the record of key ${keyId}`);
  return fields.map(Number) as [number, number, number, number, number, number];
}

/** Returns the number of bans of a key in a row. @throws Error if its record is damaged */
export function banLevel(fields: KeyFields): number {
  return keyNumbers(fields)[4];
}

/** Converts the stored form of a key. @param now in milliseconds since the epoch @throws Error if it is damaged */
export function parseKey(fields: KeyFields, now: number): KeyRecord {
  const [keyId, , , networks] = fields;
  const [, created, name] = keyInfo(fields);
  const [mask, minute, expires, revoked, level, banned] = keyNumbers(fields);
  const bannedUntil = banEnd(level, banned, now);
  return {
    keyId,
    name,
    scopes: scopesOf(mask),
    networks: networks ? networks.split(" ") : [],
    createdAt: Number(created),
    expiresAt: expires || undefined,
    revokedAt: revoked || undefined,
    lastUsedAt: minute * minuteMs || undefined,
    bannedUntil: bannedUntil > now ? bannedUntil : undefined,
  };
}
