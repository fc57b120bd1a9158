import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.ts";
import { bounds as boundsOption, output_only, rpc_only } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../../packages/connect-gateway/src/call/option.ts";
import { enumWord } from "../../src/common/enum-word.ts";
import { addSampleData, httpRequestOf, methods, type SampleIds } from "../support/operations.ts";
import { listed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { bearer, expectError, useContract } from "./support.ts";

type Json = Readonly<Record<string, unknown>>;

/** A body that an operation refuses, and the name in the error. */
type Refused = readonly [body: string | Uint8Array, name: string];

const ids: SampleIds = { accountId: "", keyId: "", orderId: "1" };

/** The operations with fields in their bodies. */
const operations = methods.filter((method) => /\w/.test(httpRequestOf(method, ids)?.body ?? ""));

/** The least and the largest integer of a type. */
function rangeOf({ scalar }: DescField): readonly [min: bigint, max: bigint] {
  return scalar === ScalarType.INT64
    ? [-(2n ** 63n), 2n ** 63n - 1n]
    : [-(2n ** 31n), 2n ** 31n - 1n];
}

/** Values that a field never has, whatever its place. */
function wrongValues(field: DescField): readonly unknown[] {
  const { min, max, maxLength, minItems, maxItems, notZero } = optionOf(field, boundsOption) ?? {};
  if (field.fieldKind === "list") {
    const many = Array.from({ length: (maxItems ?? 0) + 1 }, (_, at) => ({ petId: at + 1 }));
    return [null, {}, "1", ...(minItems ? [[]] : []), ...(maxItems ? [many] : [])];
  }
  if (field.enum) {
    const own = field.enum.values.filter((value) => optionOf(value, output_only));
    return [null, 1, "theft", "", ...own.map(({ number }) => enumWord(field.enum, number))];
  }
  if (field.scalar === ScalarType.STRING) {
    return [null, 5, ...(maxLength ? ["x".repeat(maxLength + 1)] : [])];
  }
  const [least, most] = rangeOf(field);
  const beyond = [(min ?? least) - 1n, (max ?? most) + 1n, (max ?? most) + 2n ** 32n];
  const exact = beyond.map((value) => JSON.rawJSON(`${value}`));
  return [null, "1", 1.5, true, [], ...exact, ...(notZero ? [0] : [])];
}

/**
 * Returns bodies with one fault in a message or in the first of its elements.
 *
 * @param whole returns the body with another message in this place
 * @param path of the place, such as `updates[0].`
 */
function* faultsIn(
  { fields }: DescMessage,
  message: Json,
  isInBody: (field: DescField) => boolean,
  whole: (message: Json) => Json,
  path = "",
): Generator<Refused> {
  const body = (changed: Json) => JSON.stringify(whole(changed));
  yield [body({ ...message, colour: "red" }), "colour"];
  for (const field of fields) {
    const name = field.jsonName;
    const { [name]: own, ...others } = message;
    if (!isInBody(field) || optionOf(field, rpc_only)) {
      yield [body({ ...message, [name]: "1" }), name];
      continue;
    }
    for (const value of wrongValues(field)) {
      yield [body({ ...message, [name]: value }), `${path}${name}`];
    }
    if (optionOf(field, field_behavior).includes(FieldBehavior.REQUIRED)) {
      yield [body(others), `${path}${name}`];
    }
    if (own === undefined) continue;
    const marked = body({ ...others, [name]: own, twice: 0 });
    yield [marked.replace('"twice":0', `"${name}":${JSON.stringify(own)}`), name];
    const spelled = `"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}"`;
    yield [marked.replace('"twice"', spelled).replace(/:0(?=\})/, `:${JSON.stringify(own)}`), name];
    if (field.fieldKind !== "list" || !field.message) continue;
    const [first, ...rest] = own as readonly Json[];
    if (!first) throw new Error(`the sample has no ${name}`);
    const { uniqueBy = "" } = optionOf(field, boundsOption) ?? {};
    if (uniqueBy) yield [body({ ...message, [name]: [first, first] }), `${path}${name}[1].`];
    yield* faultsIn(
      field.message,
      first,
      () => true,
      (element) => whole({ ...message, [name]: [element, ...rest] }),
      `${path}${name}[0].`,
    );
  }
}

function refusedBodies(method: DescMethod): readonly Refused[] {
  const { body: text = "" } = httpRequestOf(method, ids) ?? {};
  const { body: inBody = "", pattern } = optionOf(method, http);
  const own = method.input.fields.find(({ name }) => name === inBody)?.message ?? method.input;
  const isInBody = ({ name }: DescField) => !String(pattern.value).includes(`{${name}}`);
  return [
    ...faultsIn(own, JSON.parse(text), isInBody, (whole) => whole),
    [`${text.slice(0, -1)},"__proto__":{}}`, "__proto__"],
    [`{"request":${text}}`, "request"],
    ...["", "[]", "null", text.slice(0, -1), `${text}}`, "[".repeat(30_000)].map(
      (each): Refused => [each, ""],
    ),
    [Buffer.from(`${text.slice(0, -1)},"\xff":1}`, "latin1"), ""],
  ];
}

// The bodies are refused before the stores are called.
describe.each(storeKinds.slice(0, 1))("bodies in $name", (kind) => {
  const contract = useContract(kind);

  test.each(operations)(
    "400 for each body of $name with a fault, and nothing changes",
    async (method) => {
      const { stores } = contract.server;
      const { key, ...data } = await addSampleData(stores, method);
      const authorization = bearer(key);
      const { line = "" } = httpRequestOf(method, data) ?? {};
      const before = await listed(stores.inventory);
      const refused = refusedBodies(method);
      expect(refused.length).toBeGreaterThan(15);
      for (const [body, name] of refused) {
        const reply = await contract.send(line, { authorization, body });
        expect([String(body).slice(0, 300), reply.status]).toEqual([
          String(body).slice(0, 300),
          400,
        ]);
        expectError(reply, 400, "invalid_argument", name);
      }
      for (const chunked of [false, true]) {
        const reply = await contract.send(line, { authorization, body: "", chunked });
        expectError(reply, 400, "invalid_argument");
      }
      expect(await listed(stores.inventory)).toEqual(before);
    },
  );
});
