import type { IncomingHttpHeaders } from "node:http";
import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { bounds, cost as costOption } from "../../gen/rules/v1/rules_pb.ts";

/** How many requests the calls of a method count as: the option `rules.v1.cost`. */
export interface BatchCost {
  /** The local name of the repeated field with the items. */
  readonly field: string;
  readonly itemsPerRequest: number;
  /** The most items of a call. */
  readonly maxItems: number;
}

/**
 * Returns the cost of a method's calls.
 *
 * @returns undefined when each call counts as one request
 * @throws Error when the option does not name a repeated field with a bound of a unary request
 */
export function batchCostOf(method: DescMethod): BatchCost | undefined {
  if (!hasOption(method, costOption)) return undefined;
  const { items, itemsPerRequest } = getOption(method, costOption);
  const field = method.input.fields.find(({ name }) => name === items);
  const maxItems = field && getOption(field, bounds).maxItems;
  if (
    method.methodKind !== "unary" ||
    field?.fieldKind !== "list" ||
    itemsPerRequest < 1 ||
    maxItems === undefined
  ) {
    throw new Error(
      `${method}: rules.v1.cost does not name a repeated field with max_items of a unary request`,
    );
  }
  return { field: field.localName, itemsPerRequest, maxItems };
}

/** Returns how many requests a call with so many items counts as. */
export function requestsOf({ itemsPerRequest }: BatchCost, items: number): number {
  return Math.ceil(items / itemsPerRequest);
}

/** The fewest bytes of an item in JSON and in binary: two fields, as in `{"petId":1,"delta":1}`. */
const fewestBytes = { json: 20, binary: 6 };

/**
 * Returns how many requests a call counts as at most, before its body is read.
 *
 * @param length the declared length of the body in bytes; undefined when it is unknown
 */
export function mostRequestsOf(
  cost: BatchCost,
  headers: IncomingHttpHeaders,
  length: number | undefined,
): number {
  const isCompressed = ["content-encoding", "grpc-encoding"].some(
    (name) => (headers[name] ?? "identity") !== "identity",
  );
  if (length === undefined || isCompressed) return requestsOf(cost, cost.maxItems);
  const isJson = headers["content-type"]?.includes("json") ?? true;
  const items = Math.floor(length / (isJson ? fewestBytes.json : fewestBytes.binary));
  return Math.max(1, requestsOf(cost, Math.min(items, cost.maxItems)));
}
