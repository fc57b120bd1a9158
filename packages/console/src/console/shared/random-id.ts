/** Makes an idempotency key. `crypto.randomUUID` exists on HTTPS and localhost only. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
