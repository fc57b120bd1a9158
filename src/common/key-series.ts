import { ConnectError } from "@connectrpc/connect";

/** The most stored refusals that a series passes. */
const mostRefusals = 20;

/**
 * Makes a change whose idempotency key is made from what it changes, so that a repetition within 24 hours changes nothing.
 * The service stores refusals, too: after a stored one, the change is made with the next key after the first, so that it can
 * succeed when the cause of the refusal is gone.
 */
export async function withKeySeries<T>(
  first: string,
  change: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  for (let refusals = 0; ; refusals += 1) {
    try {
      return await change(refusals === 0 ? first : `${first}-${refusals}`);
    } catch (error) {
      const isStored =
        error instanceof ConnectError && error.metadata.get("idempotency-replayed") === "true";
      if (refusals === mostRefusals || !isStored) throw error;
    }
  }
}
