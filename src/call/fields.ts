import { validateHeaderName, validateHeaderValue } from "node:http";

/** Header fields, or metadata of RPC, to be read. Case of names does not matter. `Headers` are such. */
export interface ReadableFields extends Iterable<[name: string, value: string]> {
  /** @returns several values of one name joined by commas; null when there is none */
  get(name: string): string | null;
  has(name: string): boolean;
}

/** The same, to be written too. */
export interface WritableFields extends ReadableFields {
  /** @throws TypeError for a name or value that can't be sent */
  set(name: string, value: string): void;
  /** Adds a value to those that a name has. @throws TypeError for what can't be sent */
  append(name: string, value: string): void;
  delete(name: string): void;
}

/** Fields by name in lower case, as node has those of a request. */
export type FieldRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Fields that are there already. Unlike `Headers`, they cost nothing until they are asked for. */
export class GivenFields implements ReadableFields {
  readonly #record: FieldRecord;

  constructor(record: FieldRecord) {
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

/** Fields for an answer. They do what `Headers` do, and cost a tenth. */
export class NewFields extends GivenFields implements WritableFields {
  /** By name in lower case. */
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
