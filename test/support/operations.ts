import { type DescMethod, fromJson, type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { any_scope, scope } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../../packages/connect-gateway/src/call/option.ts";
import { operationIdOf } from "../../packaging/generate/openapi/operation-notes.ts";
import { methods, sampleRequest } from "../../packaging/generate/samples/requests.ts";
import {
  sampleAccountId,
  sampleHoldId,
  sampleKeyId,
  sampleOrderId,
} from "../../packaging/generate/samples/sample.ts";
import { newAccountId } from "../../src/access/api-key.ts";
import { defaultScopes, type Scope, scopes } from "../../src/access/scopes.ts";
import { compileValidator } from "../../src/contract/validator.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey, type TestKey } from "./accounts.ts";
import { placed } from "./stock.ts";

export { methods };

/** The changes over HTTP that can be repeated under an idempotency key. */
export const keyedMethods = methods.filter(
  (method) => method.input.field.idempotencyKey && optionOf(method, http)?.pattern.case,
);

/** Returns the method of an operation of the OpenAPI document, such as `listInventory`. */
export function methodOf(operationId: string): DescMethod {
  const found = methods.find(
    (method) => optionOf(method, http)?.pattern.case && operationIdOf(method) === operationId,
  );
  if (!found) throw new Error(`no method has a path and the name ${operationId}`);
  return found;
}

/** Ids in place of those of the samples. */
export interface SampleIds {
  readonly accountId: string;
  readonly keyId: string;
  readonly orderId: string;
  /** In place of pet 1. */
  readonly petId?: bigint;
}

/** What a sample needs: an account with a key, an order and a hold. */
export interface SampleData extends SampleIds {
  readonly key: TestKey;
}

/**
 * Adds what the sample of a method needs to the stores: pets, and an account with a key, an order and a hold.
 *
 * @param petId the pet in place of pet 1
 * @param ownerId an account that exists; if absent, a new one with high limits
 */
export async function addSampleData(
  stores: Stores,
  method?: DescMethod,
  petId = 1n,
  ownerId?: string,
): Promise<SampleData> {
  const pets = [petId, 2n, ...(method?.name === "RemovePet" ? [100n] : [])];
  const status = PetStatus.AVAILABLE;
  await stores.catalog.put(pets.map((each) => ({ petId: each, quantity: 100, status })));
  const limits = { perMinute: 1_000, perDay: 10_000 };
  const choice = { plan: "enterprise", limits } as const;
  const accountId = ownerId ?? (await addAccount(stores, choice, newAccountId()));
  const key = await addKey(stores, accountId, { scopes: [...defaultScopes, "catalog:write"] });
  const { orderId } = await placed(stores.orders, accountId, petId, 1);
  await stores.holds.put(accountId, sampleHoldId, {
    items: [{ petId, quantity: 1 }],
    ttlMs: 900_000,
  });
  return { accountId, keyId: key.keyId, key, orderId: String(orderId), petId };
}

/** Returns the sample request of a method, as ProtoJSON, with ids that exist. It acts, also where the sample only validates. */
export function requestOf(
  method: DescMethod,
  { accountId, keyId, orderId, petId = 1n }: SampleIds,
): JsonObject {
  const { validateOnly, ...sample } = sampleRequest(method);
  const text = JSON.stringify(sample)
    .replaceAll(sampleAccountId, accountId)
    .replaceAll(sampleKeyId, keyId)
    .replaceAll(sampleOrderId, orderId)
    .replaceAll('"petId":"1"', `"petId":"${petId}"`);
  return JSON.parse(text);
}

/** Requests that break a bound of many methods. */
const candidates: readonly JsonObject[] = [{}, { pageSize: -1 }, { resumeToken: "!" }];

/** Returns whether a request, as ProtoJSON, breaks a bound of a method. Only the service finds a wrong token. */
function isInvalid({ input }: DescMethod, json: JsonObject): boolean {
  if (Object.keys(json).some((name) => !(name in input.field))) return false;
  return json.resumeToken === "!" || compileValidator(input)(fromJson(input, json)).length > 0;
}

/** Returns a request that breaks a bound of a method, as ProtoJSON; undefined if the method has no bounds. */
export function invalidRequestOf(method: DescMethod): JsonObject | undefined {
  return candidates.find((json) => isInvalid(method, json));
}

/** Returns all scopes but `admin` and the one that a method needs; undefined if every key may call the method. */
export function otherScopesOf(method: DescMethod): readonly Scope[] | undefined {
  const needed = optionOf(method, scope);
  if (optionOf(method, any_scope)) return undefined;
  return scopes.filter((each) => each !== needed && each !== "admin");
}

export interface HttpRequest {
  /** Such as `GET /v1/inventory/1`. */
  readonly line: string;
  /** Absent if the operation has no body. */
  readonly body?: string;
}

/** Returns a request as JSON over HTTP; undefined if the method has no path. */
export function overHttp(method: DescMethod, json: JsonObject): HttpRequest | undefined {
  const rule = optionOf(method, http);
  if (rule?.pattern.case === undefined) return undefined;
  const verb = rule.pattern.case.toUpperCase();
  const rest = { ...json };
  const path = String(rule.pattern.value).replace(/\{(\w+)\}/g, (_, name: string) => {
    const { jsonName = "" } = method.input.fields.find((field) => field.name === name) ?? {};
    delete rest[jsonName];
    return encodeURIComponent(String(json[jsonName]));
  });
  const inBody = rule.body === "*" ? rest : (rest[rule.body] ?? {});
  if (rule.body !== "*") delete rest[rule.body];
  const others = rule.body === "*" ? [] : Object.entries(rest);
  const query = new URLSearchParams(others.map(([name, value]) => [name, `${value}`]));
  const line = `${verb} ${path}${query.size > 0 ? `?${query}` : ""}`;
  if (rule.body === "") return { line };
  const body = JSON.stringify(inBody);
  // Over HTTP, integers of 64 bits are numbers, and enum values are short.
  const inHttp = body
    .replace(/:"(\d+)"/g, ":$1")
    .replace(/"PET_STATUS_(\w+)"/g, (_, word: string) => `"${word.toLowerCase()}"`);
  return { line, body: inHttp };
}

/** Returns the sample request of a method as JSON over HTTP; undefined if the method has no path. */
export function httpRequestOf(method: DescMethod, ids: SampleIds): HttpRequest | undefined {
  return overHttp(method, requestOf(method, ids));
}

/** Returns a request as JSON over HTTP that breaks a bound of a method: it has no body, or a bad value; undefined if none does. */
export function invalidHttpRequestOf(method: DescMethod, ids: SampleIds): HttpRequest | undefined {
  const valid = requestOf(method, ids);
  const path = String(optionOf(method, http)?.pattern.value);
  const inPath = method.input.fields.filter(({ name }) => path.includes(`{${name}}`));
  const withoutBody = inPath.map(({ jsonName }) => [jsonName, valid[jsonName]]);
  const broken = inPath.map(({ jsonName, scalar }) => ({
    ...valid,
    [jsonName]: scalar === ScalarType.STRING ? ".." : "0",
  }));
  const invalid = [
    Object.fromEntries(withoutBody),
    { ...valid, ...invalidRequestOf(method) },
    ...broken,
  ].find((json) => isInvalid(method, json));
  return invalid && overHttp(method, invalid);
}
