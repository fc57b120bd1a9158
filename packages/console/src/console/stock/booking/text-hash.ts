const prime = (1n << 88n) + 0x13bn;

/** Returns a hash of a text (FNV-1a, 128 bits) in hex. `crypto.subtle` exists on HTTPS and localhost only. */
export function textHash(text: string): string {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * prime);
  }
  return hash.toString(16);
}
