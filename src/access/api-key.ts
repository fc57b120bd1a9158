import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { base32Class, encodeBase32, randomBase32 } from "./base32.ts";

/** An API key is `inv_`, for secret scanners, the account id, a secret and a checksum, which is checked without I/O. */
const prefix = "inv_";
/** Lengths of the ids of accounts and keys, in characters. */
export const accountIdLength = 12;
export const keyIdLength = accountIdLength + 8;
/** 130 bits. */
const secretLength = 26;
const checksumLength = 7;
const checkedLength = prefix.length + accountIdLength + secretLength;

export const apiKeyLength = checkedLength + checksumLength;

const form = new RegExp(`^${prefix}${base32Class}{${apiKeyLength - prefix.length}}$`);

/** Length of an API key's hash, in characters. */
export const keyHashLength = 43;

/** The parts of a well-formed API key. */
export interface ApiKey {
  /** The account that the key names. It may not exist. */
  readonly accountId: string;
  /** SHA-256 of the whole key in base64url: the only form in which a key is stored. */
  readonly hash: string;
}

/** Makes an account id of 60 random bits. */
export function newAccountId(): string {
  return randomBase32(accountIdLength);
}

/** Makes a key id. It begins with the account id, so that a key can be found by its id. */
export function newKeyId(accountId: string): string {
  return accountId + randomBase32(keyIdLength - accountIdLength);
}

export function accountOfKeyId(keyId: string): string {
  return keyId.slice(0, accountIdLength);
}

export function newApiKey(accountId: string): string {
  const checked = prefix + accountId + randomBase32(secretLength);
  return checked + checksumOf(checked);
}

/** Parses an API key. @returns undefined when its length, alphabet or checksum is wrong */
export function parseApiKey(text: string): ApiKey | undefined {
  if (text.length !== apiKeyLength || !form.test(text)) return undefined;
  if (checksumOf(text.slice(0, checkedLength)) !== text.slice(checkedLength)) return undefined;
  return {
    accountId: text.slice(prefix.length, prefix.length + accountIdLength),
    hash: hash("sha256", text, "base64url"),
  };
}

function checksumOf(text: string): string {
  return encodeBase32(crc32(text), checksumLength);
}
