import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { base32Class, encodeBase32, randomBase32 } from "./base32.ts";

/**
 * An API key is `inv_`, its account's id, a secret and a checksum of all before it: secret scanners
 * find it by its prefix, and a mistyped one is refused without any I/O.
 */
const prefix = "inv_";
const accountIdLength = 12;
/** 130 bits. */
const secretLength = 26;
const checksumLength = 7;
const checkedLength = prefix.length + accountIdLength + secretLength;

/** Length of every API key, in characters. */
export const apiKeyLength = checkedLength + checksumLength;

const form = new RegExp(`^${prefix}${base32Class}{${apiKeyLength - prefix.length}}$`);

/** Length of an API key's hash, in characters. */
export const keyHashLength = 43;

/** What a well-formed API key says of itself. */
export interface ApiKey {
  /** The account that the key names; nothing is known of whether it exists. */
  readonly accountId: string;
  /** SHA-256 of the whole key in base64url: the only form in which a key is stored. */
  readonly hash: string;
}

/** A new account id: 60 random bits. */
export function newAccountId(): string {
  return randomBase32(accountIdLength);
}

/** A new key id, which begins with its account's id so that a key is found by its id alone. */
export function newKeyId(accountId: string): string {
  return accountId + randomBase32(8);
}

/** The account id within a key id. */
export function accountOfKeyId(keyId: string): string {
  return keyId.slice(0, accountIdLength);
}

/** A new API key for an account. */
export function newApiKey(accountId: string): string {
  const checked = prefix + accountId + randomBase32(secretLength);
  return checked + checksumOf(checked);
}

/**
 * Reads an API key.
 *
 * @returns undefined when the text can't be a key: wrong length, alphabet or checksum
 */
export function parseApiKey(text: string): ApiKey | undefined {
  if (text.length !== apiKeyLength || !form.test(text)) {
    return undefined;
  }
  if (checksumOf(text.slice(0, checkedLength)) !== text.slice(checkedLength)) {
    return undefined;
  }
  return {
    accountId: text.slice(prefix.length, prefix.length + accountIdLength),
    hash: hash("sha256", text, "base64url"),
  };
}

function checksumOf(text: string): string {
  return encodeBase32(crc32(text), checksumLength);
}
