import type { Exchange } from "./exchange/exchange.ts";
import { InvalidInput } from "./invalid-input.ts";

/** The units of Grpc-Timeout, in milliseconds. */
const grpcUnits: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

interface TimeoutHeader {
  readonly name: string;
  /** The valid values, for error messages. */
  readonly form: string;
  /** Returns the timeout in milliseconds; undefined when the value is malformed. */
  parse(value: string): number | undefined;
}

const timeoutHeaders: readonly TimeoutHeader[] = [
  {
    name: "connect-timeout-ms",
    form: "an integer number of milliseconds with at most 10 digits",
    parse: (value) => (/^\d{1,10}$/.test(value) ? Number(value) : undefined),
  },
  {
    name: "grpc-timeout",
    form: "an integer with at most 8 digits and one of the units H, M, S, m, u and n",
    parse(value) {
      const unit = grpcUnits[value.slice(-1)];
      return unit !== undefined && /^\d{1,8}.$/.test(value)
        ? Number(value.slice(0, -1)) * unit
        : undefined;
    },
  },
  {
    name: "x-server-timeout",
    form: "a number of seconds such as 2.5",
    parse: (value) => (/^\d{1,8}(\.\d{1,9})?$/.test(value) ? Number(value) * 1000 : undefined),
  },
];

/** The names of the headers with a timeout, in lower case. */
export const timeoutHeaderNames = timeoutHeaders.map(({ name }) => name);

/**
 * Returns how long the client of a request waits, by Connect-Timeout-Ms, Grpc-Timeout and X-Server-Timeout.
 *
 * @returns the shortest of these timeouts, in milliseconds; undefined when the request has no timeout
 * @throws InvalidInput that names a malformed header
 */
export function timeoutOf({ headers }: Exchange): number | undefined {
  let timeout: number | undefined;
  for (const { name, form, parse } of timeoutHeaders) {
    const value = headers[name];
    if (value === undefined) continue;
    const ms = parse(`${value}`);
    if (ms === undefined) throw new InvalidInput(`must be ${form}`, name);
    timeout = Math.min(ms, timeout ?? ms);
  }
  return timeout;
}
