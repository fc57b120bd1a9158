import { fromJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bindRoutes } from "../../packages/connect-gateway/src/call/routes.ts";
import type { RpcReference } from "../../packages/console/src/reference/rpc-document.ts";
import { describeRpc } from "../../packaging/generate/rpc-reference.ts";
import { sampleRequest } from "../../packaging/generate/samples/requests.ts";
import { sampleLanguages } from "../../packaging/generate/samples/samples.ts";
import { compileValidator } from "../../src/contract/validator.ts";
import { limitFieldsOf, useContract } from "../contract/support.ts";
import { servicesOn } from "../support/services.ts";
import { storeKinds } from "../support/stores.ts";

const path = "GET /docs/rpc.json";
const anonymous = { authorization: null };

// The description does not depend on the store, so one kind is enough.
describe.each(storeKinds.slice(0, 1))("GET /docs/rpc.json in $name", (kind) => {
  const contract = useContract(kind);

  async function read(): Promise<RpcReference> {
    return JSON.parse((await contract.send(path, anonymous)).body);
  }

  test("200 without a key and without a limit", async () => {
    const reply = await contract.send(path, anonymous);
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("application/json");
    expect(limitFieldsOf(reply)).toEqual({});
  });

  test("is up to date: run npm run generate", async () => {
    expect(await read()).toEqual(describeRpc());
  });

  test("304 when the client has the current version", async () => {
    const { headers } = await contract.send(path, anonymous);
    const again = await contract.send(path, {
      ...anonymous,
      headers: { "if-none-match": headers.etag },
    });
    expect(again).toMatchObject({ status: 304, body: "" });
  });

  test("describes every method that the service binds, with its scope and a comment", async () => {
    const { services } = await read();
    const described = services.flatMap(({ methods }) => methods);
    const bound = bindRoutes(servicesOn()).map(
      ({ desc }) => `${desc.parent.typeName}/${desc.name}`,
    );
    expect(described.map(({ rpc }) => rpc).sort()).toEqual(bound.sort());
    for (const { rpc, description } of described) expect.soft(description, rpc).not.toBe("");
    const update = described.find(({ name }) => name === "UpdateInventory");
    expect(update?.stability).toBe("experimental");
    expect(update?.description).toMatch(
      /^\*\*This operation is experimental\.\*\* Any minor release may /,
    );
    const scopes = Object.fromEntries(described.map(({ rpc, scope }) => [rpc, scope]));
    expect(scopes["store.v1.StoreService/PlaceOrder"]).toBe("store:write");
    expect(scopes["usage.v1.UsageService/GetUsage"]).toBeUndefined();
  });

  test("describes every message and enum that a method uses, with comments", async () => {
    const { services, types } = await read();
    const used = [
      ...services.flatMap(({ methods }) =>
        methods.flatMap(({ request, response }) => [request, response]),
      ),
      ...Object.values(types).flatMap(({ fields = [] }) =>
        fields.flatMap(({ refersTo = [] }) => refersTo),
      ),
    ];
    expect(used.filter((name) => !(name in types))).toEqual([]);
    for (const [name, { fields = [], values = [] }] of Object.entries(types)) {
      for (const field of fields) {
        expect.soft(field.description, `${name}.${field.name}`).not.toBe("");
      }
      for (const value of values) expect.soft(value.description, value.name).not.toBe("");
    }
  });

  test("says which fields are required, and their bounds", async () => {
    const { types } = await read();
    const fields = types["store.v1.PlaceOrderRequest"]?.fields ?? [];
    expect(fields.find(({ name }) => name === "petId")).toMatchObject({
      type: "int64",
      required: true,
      bounds: "at least 1",
    });
    const [page] = types["store.v1.ListOrdersRequest"]?.fields ?? [];
    expect(page).toMatchObject({ name: "pageSize", bounds: "between 1 and 1000" });
    expect(page).not.toHaveProperty("required");
  });

  test.each(bindRoutes(servicesOn()).map(({ desc }) => desc))(
    "has a valid sample request of $name",
    (method) => {
      const request = fromJson(method.input, sampleRequest(method));
      expect(compileValidator(method.input)(request)).toEqual([]);
    },
  );

  test("has samples in the languages of the client packages", async () => {
    const { services } = await read();
    const methods = services.flatMap(({ methods }) => methods);
    const without = methods.filter(({ samples }) => Object.keys(samples).length === 0);
    // The packages have no deprecated services and no uploads.
    expect(without.map(({ name }) => name)).toEqual(["ImportPets", "GetPet"]);
    for (const { rpc, samples } of methods.filter((method) => !without.includes(method))) {
      expect.soft(Object.keys(samples), rpc).toEqual(Object.keys(sampleLanguages));
    }
  });
});
