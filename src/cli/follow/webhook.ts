import { Webhook } from "standardwebhooks";
import packageJson from "../../../package.json" with { type: "json" };
import { usageError } from "../command-error.ts";

/** A message as Standard Webhooks defines it (https://www.standardwebhooks.com). */
export interface Message {
  /** The same in each attempt, so that a receiver can recognize a repeated message. */
  readonly id: string;
  readonly body: string;
}

/** What became of an attempt to deliver a message. */
export type Outcome =
  | "delivered"
  /** The receiver wants no more messages. */
  | "gone"
  /** @param retryAfterMs how long the receiver wants no other attempt */
  | { readonly reason: string; readonly retryAfterMs: number };

/** Makes one attempt to deliver a message. Never throws. */
export type Send = (message: Message) => Promise<Outcome>;

/** Longest attempt, from connecting to the end of the response, in milliseconds. */
export const attemptMs = 15_000;

/** Most bytes of a response that are read. Only its status and Retry-After count. */
const maxResponseBytes = 65_536;

/** Longest Retry-After that counts, in milliseconds: a receiver must not stop the relay for good. */
const maxRetryAfterMs = 3_600_000;

/** Bytes of a secret, as Standard Webhooks recommends. */
const secretBytes = { min: 24, max: 64 };

/** Parses secrets that are separated by white space. A message has a signature by each. @throws CommandError that has none */
export function parseSecrets(source: string, text: string): Webhook[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) throw usageError(`${source}: has no secret`);
  return words.map((word) => {
    const base64 = word.replace(/^whsec_/, "");
    const bytes = Buffer.from(base64, "base64");
    const isCanonical = bytes.toString("base64") === base64;
    if (isCanonical && bytes.length >= secretBytes.min && bytes.length <= secretBytes.max) {
      return new Webhook(word);
    }
    throw usageError(
      `${source}: must be whsec_ and the base64 of ${secretBytes.min} to ${secretBytes.max} random bytes. Make one: echo "whsec_$(openssl rand -base64 32)"`,
    );
  });
}

/** Parses the URL of a receiver. @throws CommandError */
export function parseReceiver(text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw usageError("--to: must be a URL such as https://erp.example/hooks, without a password");
}

/** Makes the function that sends signed messages to a URL. It follows no redirect. */
export function createSend(to: URL, secrets: readonly Webhook[], timeoutMs = attemptMs): Send {
  return async ({ id, body }) => {
    const now = new Date();
    try {
      const response = await fetch(to, {
        method: "POST",
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          "content-type": "application/json",
          "user-agent": `inventory-relay/${packageJson.version}`,
          "webhook-id": id,
          "webhook-timestamp": `${Math.floor(now.getTime() / 1_000)}`,
          "webhook-signature": secrets.map((secret) => secret.sign(id, now, body)).join(" "),
        },
        body,
      });
      await discard(response);
      return outcomeOf(response);
    } catch (error) {
      return { reason: reasonOf(error, timeoutMs), retryAfterMs: 0 };
    }
  };
}

/** Reads a response, so that its connection can be used again. If it is long or fails, the connection is closed. */
async function discard({ body }: Response): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      // The end of the loop cancels the body.
      if (bytes > maxResponseBytes) return;
    }
  } catch {
    // The status has arrived, and counts.
  }
}

function outcomeOf({ ok, status, headers }: Response): Outcome {
  if (ok) return "delivered";
  if (status === 410) return "gone";
  const isRedirect = status >= 300 && status < 400;
  const reason = `HTTP ${status}${isRedirect ? ": redirects are not followed" : ""}`;
  return { reason, retryAfterMs: retryAfterOf(headers.get("retry-after") ?? "") };
}

/** Returns the wait of a Retry-After header: seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Math.min(Math.max(ms || 0, 0), maxRetryAfterMs);
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return `${error}`;
  if (error.name === "TimeoutError") return `no response within ${timeoutMs / 1_000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // A connection that fails for each of several addresses has a code and no message.
  return cause.message || String("code" in cause ? cause.code : cause.name);
}
