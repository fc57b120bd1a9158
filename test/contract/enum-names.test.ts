import {
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonValue,
  toBinary,
} from "@bufbuild/protobuf";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { allowsGet } from "../../packages/connect-gateway/src/rpc/connect/get.ts";
import type { TestKey } from "../support/accounts.ts";
import { methods } from "../support/operations.ts";
import { storeKinds } from "../support/stores.ts";
import { overHttp2 } from "./http-clients.ts";
import { bearer, useContract } from "./support.ts";

/** The paths of all enum fields in a request, each with a message that has this value there. */
function enumFields(
  desc: DescMessage,
  value: string | number,
): readonly (readonly [string, object])[] {
  return desc.fields.flatMap((field): (readonly [string, object])[] => {
    const isList = field.fieldKind === "list";
    const step = isList ? `${field.name}[0]` : field.name;
    const give = (inner: unknown) => ({ [field.jsonName]: isList ? [inner] : inner });
    if (field.enum) return [[step, give(value)]];
    if (!field.message) return [];
    return enumFields(field.message, value).map(([path, inner]) => [
      `${step}.${path}`,
      give(inner),
    ]);
  });
}

const unknown = "sold";
const unknownNumber = 99;
const casesOf = (value: string | number) =>
  methods.flatMap((method: DescMethod) =>
    enumFields(method.input, value).map(
      ([path, message]) =>
        [`${method.parent.typeName}/${method.name}`, path, message, method] as const,
    ),
  );

/** The ways to send a message of a method in JSON: the media types of POST, and GET. */
function waysOf(method: DescMethod): readonly string[] {
  if (method.methodKind !== "unary") {
    return ["application/connect+json", "application/grpc+json", "application/grpc-web+json"];
  }
  const get = allowsGet(method) ? ["GET"] : [];
  return ["application/json", "application/grpc+json", "application/grpc-web+json", ...get];
}

const oneKind = storeKinds.slice(0, 1);

describe.each(oneKind)("an unknown name of an enum in JSON on RPC", (kind) => {
  const contract = useContract(kind);
  let key: TestKey;
  beforeEach(async () => {
    const all = [
      "admin",
      "inventory:read",
      "inventory:write",
      "store:read",
      "store:write",
    ] as const;
    key = await contract.newAccount("bbbbbbbbbbbb", { plan: "business" }, all);
  });

  /** Sends a message, and returns the error: its code and text. */
  async function errorOf(path: string, way: string, message: string | Uint8Array): Promise<string> {
    const { url } = contract.server;
    const headers = { authorization: bearer(key), ...(way !== "GET" && { "content-type": way }) };
    const data = Buffer.from(message);
    const target = `/${path}?encoding=json&message=${encodeURIComponent(data.toString())}`;
    const body = /grpc|connect/.test(way) ? Buffer.from(encodeEnvelope(0, data)) : data;
    const { fields, body: text } = await (way === "GET"
      ? overHttp2(url, "GET", target, headers)
      : overHttp2(url, "POST", `/${path}`, headers, body.toString("latin1")));
    const status = `grpc-status: ${fields.get("grpc-status")}, ${fields.get("grpc-message")}`;
    return decodeURIComponent(`${status} ${text}`).replaceAll('\\"', '"');
  }

  test("has fields to test", () => {
    expect(casesOf(unknown).map(([path, field]) => `${path} ${field}`)).toEqual(
      expect.arrayContaining([
        "inventory.v1.InventoryService/AdjustInventory reason",
        "store.v1.StoreService/ListHolds state[0]",
        "catalog.v1.CatalogService/ImportPets pets[0].status",
      ]),
    );
  });

  test.each(casesOf(unknown))("is refused by %s in %s", async (path, field, message, method) => {
    for (const way of waysOf(method)) {
      const text = await errorOf(path, way, JSON.stringify(message));
      expect.soft(text, way).toMatch(/"code":"invalid_argument"|grpc-status: 3\b/);
      expect.soft(text, way).toContain(`${field}: has no value "${unknown}"`);
    }
  });

  // Enums of proto3 are open, so that the parser keeps such a number.
  test.each(casesOf(unknownNumber))(
    "and an unknown number in binary is refused by %s in %s",
    async (path, field, message, method) => {
      const bytes = toBinary(method.input, fromJson(method.input, message as JsonValue));
      const ways = method.methodKind === "unary" ? ["application/proto"] : [];
      for (const way of [...ways, "application/grpc", "application/grpc-web"]) {
        const text = await errorOf(path, way, bytes);
        expect.soft(text, way).toMatch(/"code":"invalid_argument"|grpc-status: 3\b/);
        expect.soft(text, way).toContain(`${field}: has no value ${unknownNumber}`);
      }
    },
  );
});
