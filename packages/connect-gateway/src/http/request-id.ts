import { randomFillSync } from "node:crypto";
import type { Exchange } from "./exchange/exchange.ts";

/** The header with the id of a request, in requests and responses. */
export const requestIdHeader = "x-request-id";

/** The ids that clients may set: short, and safe in headers and logs. */
const accepted = /^[!-~]{1,128}$/;

const idBytes = 16;
/** Random bytes for the next ids. Filling a buffer for each id takes 20 times as long. */
const pool = Buffer.alloc(256 * idBytes);
let used = pool.length;

/** Makes an id for a request without a valid one: 128 random bits as 32 hexadecimal digits. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += idBytes;
  return pool.toString("hex", used - idBytes, used);
}

/**
 * Sets the `X-Request-Id` header of a response: the id that the client has sent if it has 1 to 128 visible ASCII
 * characters, otherwise a new one. Call it before any code can respond, so that every response has an id.
 */
export function setRequestId(exchange: Exchange): void {
  const given = exchange.headers[requestIdHeader];
  const isAccepted = typeof given === "string" && accepted.test(given);
  exchange.setHeader(requestIdHeader, isAccepted ? given : newRequestId());
}

/** Returns the id that {@link setRequestId} gave the request of a response; empty if it gave none. */
export function requestIdOf(response: Exchange): string {
  return String(response.getHeader(requestIdHeader) ?? "");
}
