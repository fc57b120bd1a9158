import { hash } from "node:crypto";
import type { ChainedEntry } from "../stores/audit-store.ts";

/**
 * The hash chain of the audit trail. Each entry has a hash of itself and of the entry before it. So nobody can change,
 * remove, insert or reorder entries without changing the hashes of all later ones.
 *
 * The hash of an entry is the SHA-256, in lower-case hexadecimal, of four lines in ASCII, each with a line feed at its
 * end: the hash of the entry before, the sequence number, the time, and the SHA-256 of the body's UTF-8 bytes. Numbers
 * are decimal, without leading zeros.
 */

/** The hash before the first entry. */
export const chainStart = "0".repeat(64);

/** Returns the hash of a body, which the hash of its entry covers. */
export function bodyHash(body: string): string {
  return hash("sha256", body);
}

/** Returns the hash of an entry. @param previous the hash of the entry before; {@link chainStart} for the first one */
export function chainHash(previous: string, { sequence, time, body }: ChainedEntry): string {
  return hash("sha256", `${previous}\n${sequence}\n${time}\n${bodyHash(body)}\n`);
}
