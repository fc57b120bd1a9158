import {
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { abridge } from "connect-gateway/call";
import type { EntryBody, Value, Values } from "./body.ts";

/** The members of ProtoJSON with ids, and their names in the trail. */
const ids: Readonly<Record<string, string>> = {
  accountId: "account",
  keyId: "key",
  petId: "pet",
  orderId: "order",
};

/** The members of responses that the trail has in addition to ids: numbers of pets, keys and orders. */
const counts = new Set(["rows", "created", "updated", "keys", "orders"]);

/** Members of requests that say nothing to the readers of the trail. */
const leftOut = new Set(["pageToken", "idempotencyKey"]);

/** Longest id, in characters. Those of invalid requests can be longer. */
const longestId = 40;
/** Longest other text, in characters. */
const longestText = 200;
const longestList = 20;
/** Longest JSON of the details, in characters. */
const longestDetails = 1_500;

/** Summarizes a request, shortened to about 2 kB at most. */
export function summarizeRequest(
  desc: DescMessage,
  request: Message,
): Required<Pick<EntryBody, "targets" | "details">> {
  const json = jsonOf(desc, request);
  const details = detailsOf(json);
  const isLong = JSON.stringify(details).length > longestDetails;
  return { targets: idsIn(json), details: isLong ? { omitted: "too long" } : details };
}

/** Returns the ids and the numbers of pets in a response. Nothing else: a response can contain a secret. */
export function summarizeResponse(desc: DescMessage, response: Message): Values {
  const json = jsonOf(desc, response);
  const numbers = Object.entries(json).filter(([name]) => counts.has(name));
  return {
    ...idsIn(json),
    ...Object.fromEntries(numbers.map(([name, value]) => [name, Number(value)])),
  };
}

/** Returns a message in ProtoJSON; empty if ProtoJSON cannot express it, for example because a time is too late. */
function jsonOf(desc: DescMessage, message: Message): JsonObject {
  try {
    return toJson(desc, message) as JsonObject;
  } catch {
    return {};
  }
}

/** Finds the first id of each kind. Lists do not count. */
function idsIn(json: JsonObject): Values {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(json)) {
    const kind = ids[name];
    if (kind !== undefined) found[kind] ??= abridge(String(value), longestId);
  }
  for (const value of Object.values(json)) {
    if (isObject(value)) Object.assign(found, { ...idsIn(value), ...found });
  }
  return found;
}

function detailsOf(json: JsonObject): Values {
  const details: Record<string, Value> = {};
  for (const [name, value] of Object.entries(json)) {
    if (!(name in ids) && !leftOut.has(name)) details[name] = detailOf(value);
  }
  return details;
}

function detailOf(value: JsonValue): Value {
  if (Array.isArray(value)) {
    const isShort = value.length <= longestList && !value.some(isObject);
    return isShort ? value.map(detailOf) : { count: value.length };
  }
  if (isObject(value)) return detailsOf(value);
  return typeof value === "string" ? abridge(value, longestText) : (value ?? "");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
