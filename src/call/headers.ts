import { validateHeaderName, validateHeaderValue } from "node:http";

/** Headers by name in lower case, as node has those of a request. */
export type HeaderRecord = Record<string, string | string[] | undefined>;

/**
 * Headers in a record like that of node's requests. Does what `Headers` does at a tenth of the cost: it copies nothing, and
 * does not load node's `fetch`. Changes change the record. Iteration has the order of the record, without pseudo-headers.
 * `append` joins all values by commas, also those of Set-Cookie.
 */
export class NodeHeaders implements Headers {
  readonly record: HeaderRecord;

  constructor(record: HeaderRecord) {
    this.record = record;
  }

  get(name: string): string | null {
    const value = this.record[name.toLowerCase()];
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
  }

  has(name: string): boolean {
    return this.record[name.toLowerCase()] !== undefined;
  }

  /** @throws TypeError when the name or value is not valid in HTTP */
  set(name: string, value: string): void {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    this.record[name.toLowerCase()] = value;
  }

  /** @throws TypeError when the name or value is not valid in HTTP */
  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    delete this.record[name.toLowerCase()];
  }

  getSetCookie(): string[] {
    return [this.record["set-cookie"] ?? []].flat();
  }

  forEach(use: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this) use.call(self, value, name, this);
  }

  *entries(): Generator<[name: string, value: string], undefined> {
    for (const name of Object.keys(this.record)) {
      const value = name.startsWith(":") ? null : this.get(name);
      if (value !== null) yield [name, value];
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
