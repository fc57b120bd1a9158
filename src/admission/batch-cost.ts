import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { optionOf } from "connect-gateway/call";
import { bounds, cost as costOption } from "../../gen/rules/v1/rules_pb.ts";

/** How many requests the calls of a method count as: the option `rules.v1.cost`. */
export interface BatchCost {
  /** The local name of the repeated field with the items; undefined if the request has none. */
  readonly field: string | undefined;
  readonly itemsPerRequest: number;
  readonly maxItems: number;
  /** The most items of the stored resource that a call changes. If it is not 0, the method's function charges its calls. */
  readonly maxStoredItems: number;
}

/** The noun by which errors name the items of a call. */
export type CostSubject = "batch" | "hold";

/**
 * Returns the cost of a method's calls; undefined when each counts as one request.
 *
 * @throws Error when the option does not name a repeated field with a bound, or stored items, or the method streams
 * responses
 */
export function batchCostOf(method: DescMethod): BatchCost | undefined {
  if (!hasOption(method, costOption)) return undefined;
  const { items, itemsPerRequest, maxStoredItems } = optionOf(method, costOption);
  const field = method.input.fields.find(({ name }) => name === items);
  const maxItems = field ? optionOf(field, bounds).maxItems : 0;
  const hasItems = field ? field.fieldKind === "list" : items === "" && maxStoredItems > 0;
  const isOneResponse = method.methodKind === "unary" || method.methodKind === "client_streaming";
  if (!isOneResponse || !hasItems || itemsPerRequest < 1 || maxItems === undefined) {
    throw new Error(
      `${method}: rules.v1.cost does not name a repeated field with max_items of requests with one response`,
    );
  }
  return { field: field?.localName, itemsPerRequest, maxItems, maxStoredItems };
}

/** A batch of more items can have larger messages than other calls. */
const mostOfUsualSize = 100;

/** Whether the messages of a method can be larger than those of others. */
export function hasLargeMessages(method: DescMethod): boolean {
  const cost = batchCostOf(method);
  return cost !== undefined && cost.maxItems > mostOfUsualSize;
}

/** Returns how many requests a call with so many items counts as. */
export function requestsOf({ itemsPerRequest }: BatchCost, items: number): number {
  return Math.ceil(items / itemsPerRequest);
}

/** Returns what the items belong to: a hold, if a call counts stored items, otherwise its request batch. */
export function subjectOf({ maxStoredItems }: BatchCost): CostSubject {
  return maxStoredItems > 0 ? "hold" : "batch";
}

/** Bounds of how many requests a call counts as, before its body is read. */
export interface RequestBounds {
  readonly fewest: number;
  readonly most: number;
}

/** A call whose body says how many requests it counts as. */
export interface UnreadBatch extends RequestBounds {
  readonly itemsPerRequest: number;
  readonly subject: CostSubject;
}

/** The bytes of an item, from `{"petId":1,"delta":1}` to four numbers of the greatest length, of which one is negative. */
const itemBytes = { json: { least: 20, most: 127 }, binary: { least: 6, most: 39 } };

/** The most bytes of all other fields, such as the note. */
const otherBytes = 3_000;

/**
 * Returns how many requests a call counts as, as far as its length shows it. Compact encodings are assumed: spaces in JSON
 * can make a call look larger than it is.
 *
 * @param length the declared length of the body in bytes; undefined when it is unknown
 */
export function requestBoundsOf(
  cost: BatchCost,
  headers: Headers,
  length: number | undefined,
): RequestBounds {
  const stored = requestsOf(cost, cost.maxStoredItems);
  const isCompressed = ["content-encoding", "grpc-encoding"].some(
    (name) => !/^(?:identity)?$/i.test(`${headers.get(name) ?? ""}`),
  );
  if (length === undefined || isCompressed) {
    return { fewest: 1, most: Math.max(stored, requestsOf(cost, cost.maxItems)) };
  }
  const isJson = /^[^;]*json\s*(?:;|$)|^$/i.test(headers.get("content-type") ?? "");
  const { least, most } = isJson ? itemBytes.json : itemBytes.binary;
  const requests = (items: number) => Math.max(1, requestsOf(cost, Math.min(items, cost.maxItems)));
  return {
    fewest: requests(Math.ceil((length - otherBytes) / most)),
    most: Math.max(stored, requests(Math.floor(length / least))),
  };
}
