import { validateHeaderName, validateHeaderValue } from "node:http";
import type { ConnectError } from "@connectrpc/connect";
import { type HeaderValues, headersOf } from "./call-error.ts";
import { memoize } from "./memoize.ts";

/** Headers by name in lower case, as node has those of a request. */
export type HeaderRecord = Record<string, string | string[] | undefined>;

/**
 * Headers that belong to the connection (RFC 9110, section 7.6.1), to the framing of the body or to a protocol. They include
 * those that Connect does not take over from the metadata of an error.
 */
const reserved: ReadonlySet<string> = new Set([
  ...["connection", "http2-settings", "keep-alive", "proxy-connection", "te", "upgrade"],
  ...["trailer", "transfer-encoding", "content-encoding", "content-length", "content-type"],
  ...["accept-encoding", "date", "host", "user-agent"],
  ...["connect-accept-encoding", "connect-content-encoding"],
  ...["connect-protocol-version", "connect-timeout-ms"],
  ...["grpc-accept-encoding", "grpc-encoding", "grpc-timeout"],
  ...["grpc-message", "grpc-status", "grpc-status-details-bin"],
  "x-content-type-options",
]);

/** A character that a value must not have (RFC 9110, section 5.5). */
const illegal = /[^\t\x20-\x7e\x80-\xff]/;

/** Returns a name in lower case, and checks each once: services set the same few. @throws TypeError when it is not valid in HTTP */
const validName = memoize((name: string) => {
  validateHeaderName(name);
  return name.toLowerCase() as Lowercase<string>;
}, 1_000);

/** @throws TypeError when a value is not valid in HTTP */
export function checkValue(name: string, value: string): void {
  if (illegal.test(value)) validateHeaderValue(name, value);
}

/** Returns a name in lower case; "" for one that a service cannot set. @throws TypeError when it is not valid in HTTP */
export const ownName = memoize((name: string) => {
  const key = validName(name);
  return reserved.has(key) ? "" : key;
}, 1_000);

/** The header whose values cannot be joined (RFC 6265, section 3). */
const cookies = "set-cookie";

/**
 * Headers that are kept elsewhere. Does what `Headers` does at a tenth of the cost: it copies nothing, and does not load node's
 * `fetch`. Iteration leaves out pseudo-headers. `set` and `append` throw a TypeError for what is not valid in HTTP.
 */
export abstract class HeaderView implements Headers {
  abstract get(name: string): string | null;
  abstract has(name: string): boolean;
  abstract delete(name: string): void;
  abstract getSetCookie(): string[];
  /** Sets a header whose name and value are valid. @param name in lower case */
  protected abstract put(name: Lowercase<string>, value: string | string[]): void;
  /** Returns the names in lower case. */
  protected abstract names(): string[];

  /** Returns a name in lower case; "" for a header that cannot be changed. @throws TypeError when it is not valid in HTTP */
  protected keyOf(name: string): Lowercase<string> {
    return validName(name);
  }

  set(name: string, value: string): void {
    const key = this.keyOf(name);
    checkValue(name, value);
    if (key !== "") this.put(key, value);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    if (before === null) this.set(name, value);
    else if (name.toLowerCase() !== cookies) this.set(name, `${before}, ${value}`);
    else {
      checkValue(name, value);
      this.put(cookies, [...this.getSetCookie(), value]);
    }
  }

  forEach(use: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this) use.call(self, value, name, this);
  }

  *entries(): Generator<[name: string, value: string], undefined> {
    for (const name of this.names()) {
      const value = name.startsWith(":") ? null : this.get(name);
      if (name === cookies) for (const cookie of this.getSetCookie()) yield [name, cookie];
      else if (value !== null) yield [name, value];
    }
  }

  *keys(): Generator<string, undefined> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string, undefined> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[name: string, value: string], undefined> {
    return this.entries();
  }
}

/** Headers in a record like that of node's requests. Changes change the record. */
export class NodeHeaders extends HeaderView {
  readonly record: HeaderRecord;

  constructor(record: HeaderRecord) {
    super();
    this.record = record;
  }

  get(name: string): string | null {
    const value = this.record[name.toLowerCase()];
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
  }

  has(name: string): boolean {
    return this.record[name.toLowerCase()] !== undefined;
  }

  delete(name: string): void {
    delete this.record[name.toLowerCase()];
  }

  getSetCookie(): string[] {
    return [this.record[cookies] ?? []].flat();
  }

  protected put(name: Lowercase<string>, value: string | string[]): void {
    this.record[name] = value;
  }

  protected names(): string[] {
    return Object.keys(this.record);
  }
}

/** Headers or trailers that a service sets. Those of the connection and of protocols are ignored: they would break the response. */
export class OwnHeaders extends NodeHeaders {
  protected override keyOf(name: string): Lowercase<string> {
    return ownName(name);
  }
}

/**
 * Returns the headers that are sent with an error, by name in lower case. As with Connect, those of an error that a client has
 * received stay in the process. @throws TypeError when a name or value is not valid in HTTP
 */
export function sentHeaders(error: ConnectError): HeaderValues {
  return error.isWireError ? {} : ownHeaders(headersOf(error));
}

/** Returns the headers that a service can set, by name in lower case. @throws TypeError when one is not valid in HTTP */
export function ownHeaders(headers: HeaderValues): HeaderValues {
  const own: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const key = ownName(name);
    const value = headers[name] ?? "";
    checkValue(name, String(value));
    if (key !== "") own[key] = value;
  }
  return own;
}
