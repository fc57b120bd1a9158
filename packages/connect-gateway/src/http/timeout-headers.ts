import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import type { Exchange } from "./exchange/exchange.ts";
import { InvalidInput } from "./invalid-input.ts";

/** The headers, the form of their valid values, for error messages, and their timeout in milliseconds; undefined if malformed. */
const timeoutHeaders = [
  {
    name: "connect-timeout-ms",
    form: "an integer number of milliseconds with at most 10 digits",
    parse: (value: string) => parseConnectTimeout(value, Number.MAX_SAFE_INTEGER).timeoutMs,
  },
  {
    name: "grpc-timeout",
    form: "an integer with at most 8 digits and one of the units H, M, S, m, u and n",
    parse: (value: string) => parseGrpcTimeout(value, Number.MAX_SAFE_INTEGER).timeoutMs,
  },
  {
    name: "x-server-timeout",
    form: "a number of seconds such as 2.5",
    parse: (value: string) =>
      /^\d{1,8}(\.\d{1,9})?$/.test(value) ? Number(value) * 1000 : undefined,
  },
];

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
