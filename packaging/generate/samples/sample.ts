import type { DescMethod, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Stores } from "../../../src/stores/stores.ts";

/** A sample of an operation. Documents, tests and benchmarks of all operations use it. */
export interface OperationSample {
  /** A valid request, as ProtoJSON. It has no lists if it becomes a query. */
  readonly request: JsonObject;
  /** Examples of the body over HTTP by name, as Example Objects. Each must succeed with the sample data. */
  readonly bodies?: JsonObject;
  /** Examples of the response over HTTP. */
  readonly responses?: JsonObject;
  /** Errors over HTTP that few operations have. The document has those that follow from the contract. */
  readonly errors?: readonly SampleError[];
  /** The most expensive requests by their inputs, or why their cost has no bound. Redis must not be busy for long with them. */
  readonly largest: Readonly<Record<string, MakeRequest | string>>;
}

/** An error of an operation, and a request that gets it. */
export interface SampleError {
  /** As the example of the document. */
  readonly error: ConnectError;
  /** The name of the example; if absent, the reason. It is another one for the same reason with another text. */
  readonly example?: string;
  /**
   * The request, as ProtoJSON, for a stock of 12 units of pet 1 and 0 of pet 2. If absent, a provocation in `test/api-docs/support`
   * causes the error.
   */
  readonly request?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests that are sent before. */
  readonly after?: readonly (readonly [method: DescMethod, request: JsonObject])[];
}

/** The samples of a service by its methods. */
export type SamplesOf<S extends { readonly method: object }> = Readonly<
  Record<keyof S["method"], OperationSample>
>;

/** Makes a request, as ProtoJSON. It is called for each request, since many of them can be sent only once. */
export type MakeRequest = (given: Given) => JsonObject | Promise<JsonObject>;

/** What the largest requests are made of. */
export interface Given {
  /** The account that sends them. Its orders, holds and history are as large as they can be. */
  readonly accountId: string;
  readonly stores: Stores;
  /** How many requests were made before, with the same input. */
  readonly index: number;
  /** Returns different pets. @param from their place in the stock, so that another place gives other pets */
  pets(count: number, from?: number): readonly string[];
  /** Returns a new number. */
  number(): number;
  /** Makes something new, and returns its id. A pet has one unit, and a hold the given number of pets. */
  pet(): Promise<string>;
  order(): Promise<string>;
  hold(pets: number): Promise<string>;
  account(): Promise<string>;
  key(): Promise<string>;
}

/** Ids in the samples. They have the form of real ids. */
export const sampleAccountId = "7t4e0k2m9w3c";
export const sampleKeyId = "5hq8x1n6b0r4v7j2d9ts";
export const sampleOrderId = "1793611800000417";
export const sampleHoldId = "cart-7";

/** Texts of the greatest length, with characters of four bytes. */
export const longNote = "\u{1f436}".repeat(500);
export const longReference = "\u{1f431}".repeat(100);
export const longName = "\u{1f98a}".repeat(200);

/** A pet that nothing has. */
const unknownPet = "9223372036854775807";

/** Why reads of all keys of an account have no bound. */
export const ofManyKeys = "grows with the keys of an account, which only operators create";

const ended = ["HOLD_STATE_CONFIRMED", "HOLD_STATE_RELEASED", "HOLD_STATE_EXPIRED"];
const anyState = ["HOLD_STATE_ACTIVE", ...ended];

/** The largest requests for holds of one account or of all. */
export const largestListsOfHolds: OperationSample["largest"] = {
  "200 holds of 100 items": () => ({ pageSize: 200, state: anyState }),
  "an active pet that no hold has": () => ({ pageSize: 200, petId: unknownPet }),
  "an ended pet that no hold has": () => ({ pageSize: 200, petId: unknownPet, state: ended }),
  "a state that few holds have": () => ({ pageSize: 200, state: ["HOLD_STATE_EXPIRED"] }),
  "a pet that all holds have": ({ pets }) => ({
    ...{ pageSize: 200, state: anyState },
    petId: pets(1, 299)[0] ?? "",
  }),
};

/** Returns a Map of Example Objects. */
export function example(name: string, summary: string, value: JsonValue): JsonObject {
  return { [name]: { summary, value } };
}

/** Returns the version of a change that was made some minutes after 9:30: its time in microseconds. */
export function versionAt(minute: number): number {
  return Date.UTC(2026, 10, 2, 9, 30 + minute) * 1_000;
}
