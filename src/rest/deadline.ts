import type { NodeServerRequest } from "../http/node-http.ts";
import { InvalidInput } from "./invalid-input.ts";

/** Milliseconds of a unit of Grpc-Timeout. */
const grpcUnits: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** What each header field says, in milliseconds; undefined when it is malformed. */
const fields: readonly (readonly [name: string, parse: (value: string) => number | undefined])[] = [
  ["connect-timeout-ms", (value) => (/^\d{1,10}$/.test(value) ? Number(value) : undefined)],
  [
    "grpc-timeout",
    (value) => {
      const unit = grpcUnits[value.slice(-1)];
      return unit !== undefined && /^\d{1,8}.$/.test(value)
        ? Number(value.slice(0, -1)) * unit
        : undefined;
    },
  ],
  [
    "x-server-timeout",
    (value) => (/^\d{1,8}(\.\d{1,9})?$/.test(value) ? Number(value) * 1000 : undefined),
  ],
];

/**
 * For how long a client will wait, by Connect-Timeout-Ms, Grpc-Timeout and X-Server-Timeout (seconds).
 *
 * @returns milliseconds, the fewest of what is said; undefined when nothing is
 * @throws InvalidInput that names a field which is malformed
 */
export function timeoutOf({ headers }: NodeServerRequest): number | undefined {
  let timeout: number | undefined;
  for (const [name, parse] of fields) {
    const value = headers[name];
    if (value === undefined) continue;
    const ms = parse(`${value}`);
    if (ms === undefined) throw new InvalidInput("is not a timeout", name);
    timeout = Math.min(ms, timeout ?? ms);
  }
  return timeout;
}
