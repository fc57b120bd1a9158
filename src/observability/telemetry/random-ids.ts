import { randomFillSync } from "node:crypto";

/** Unused random hex digits. Filling a pool is cheaper than a call for each id. */
let pool = "";
let used = 0;
const poolBytes = 4_096;

function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafe(poolBytes)).toString("hex");
    used = 0;
  }
  used += digits;
  return pool.slice(used - digits, used);
}

/**
 * Creates the id of a trace: 32 hex digits.
 *
 * @param fraction a random number, at least 0 and less than 1, which `fractionOf` returns for the id, in 48 bits
 */
export function newTraceId(fraction: number): string {
  const decisive = Math.floor(fraction * 2 ** 48).toString(16);
  return nonZero(randomHex(16)) + decisive.padStart(12, "0") + randomHex(4);
}

/** Creates the id of a span: 16 hex digits. */
export function newSpanId(): string {
  return nonZero(randomHex(16));
}

/** Ids of zeros are invalid. */
function nonZero(id: string): string {
  return /^0+$/.test(id) ? `${id.slice(1)}1` : id;
}
