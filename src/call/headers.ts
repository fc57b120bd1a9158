import { validateHeaderName, validateHeaderValue } from "node:http";

/** Headers, or RPC metadata, that can be read. Names are not case-sensitive. `Headers` implements this interface. */
export interface ReadableHeaders extends Iterable<[name: string, value: string]> {
  /** @returns the values of a header joined by commas; null when the header is absent */
  get(name: string): string | null;
  has(name: string): boolean;
}

/** Headers, or RPC metadata, that can be read and written. */
export interface WritableHeaders extends ReadableHeaders {
  /** Replaces the values of a header. @throws TypeError when the name or value is not valid in HTTP */
  set(name: string, value: string): void;
  /** Adds a value to a header. @throws TypeError when the name or value is not valid in HTTP */
  append(name: string, value: string): void;
  delete(name: string): void;
}

/** Headers by name in lower case, as node has those of a request. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A read-only view of node's headers. Unlike `Headers`, it copies nothing. */
export class HeaderView implements ReadableHeaders {
  readonly #record: HeaderRecord;

  constructor(record: HeaderRecord) {
    this.#record = record;
  }

  get(name: string): string | null {
    const value = this.#record[name.toLowerCase()];
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
  }

  has(name: string): boolean {
    return this.#record[name.toLowerCase()] !== undefined;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const name of Object.keys(this.#record)) {
      const value = name.startsWith(":") ? null : this.get(name);
      if (value !== null) yield [name, value];
    }
  }
}

/** Headers of a response. Does what `Headers` does at a tenth of the cost. */
export class MutableHeaders extends HeaderView implements WritableHeaders {
  /** The headers by name in lower case. */
  readonly record: Record<string, string>;

  constructor() {
    const record: Record<string, string> = {};
    super(record);
    this.record = record;
  }

  set(name: string, value: string): void {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    this.record[name.toLowerCase()] = value;
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    delete this.record[name.toLowerCase()];
  }
}
