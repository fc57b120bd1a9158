import { describe, expect, it } from "vitest";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { readConfig } from "../../src/config.ts";
import { deprecationNotice } from "../../src/rules/deprecation.ts";
import { limitFieldsOf, useContract } from "../contract/support.ts";
import { storeKinds } from "../support/stores.ts";
import {
  document,
  documentText,
  type MediaType,
  operations,
  resolve,
  schemas,
} from "./support/document.ts";

describe.each(storeKinds)("GET /openapi.json in $name", (kind) => {
  const contract = useContract(kind);
  const anonymous = { authorization: null };

  it("200 with the committed document, without a key and without a limit", async () => {
    const reply = await contract.send("GET /openapi.json", anonymous);
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("application/json");
    expect(limitFieldsOf(reply)).toEqual({});
    expect(reply.body, "npm run generate makes another gen/openapi.json").toBe(documentText);
  });

  it("304 when the client has it", async () => {
    const { headers } = await contract.send("GET /openapi.json", anonymous);
    expect(headers).toMatchObject({ etag: expect.any(String), "cache-control": "no-cache" });
    const again = await contract.send("GET /openapi.json", {
      ...anonymous,
      headers: { "if-none-match": headers.etag },
    });
    expect(again).toMatchObject({ status: 304, body: "" });
  });

  it("HEAD has no body, and other methods are 405", async () => {
    const head = await contract.send("HEAD /openapi.json", anonymous);
    expect(head).toMatchObject({ status: 200, body: "" });
    const put = await contract.send("PUT /openapi.json", { ...anonymous, body: "{}" });
    expect(put).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });
});

describe.each(storeKinds)("GET /openapi.json with OPENAPI_SERVERS in $name", (kind) => {
  const servers = ["https://api.example/v1", "https://staging.example/v1"];
  const contract = useContract(kind, { OPENAPI_SERVERS: servers.join(",") });

  it("lists them after the server itself", async () => {
    const { body } = await contract.send("GET /openapi.json", { authorization: null });
    const urls = JSON.parse(body).servers.map(({ url }: { url: string }) => url);
    expect(urls).toEqual(["/v1", ...servers]);
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual(["/v1"]);
  });
});

describe("the document", () => {
  it("has the operations and schemas of the interface", () => {
    expect(operations.map(({ operation }) => operation.operationId)).toEqual([
      "listInventory",
      "updateInventory",
      "getInventoryItem",
      "adjustInventory",
      "batchUpdateInventory",
      "listInventoryChanges",
      "listItemChanges",
      "watchInventory",
      "getPet",
      "listOrders",
      "getOrder",
    ]);
    const { schemas } = document.components;
    expect(schemas.ChangeReasonInRequest?.enum).toEqual(["arrival", "return", "adjustment"]);
    expect(schemas.ChangeReason?.enum).toContain("import");
    expect(Object.keys(document.components.schemas)).toEqual([
      "BatchResult",
      "ChangeReason",
      "ChangeReasonInRequest",
      "Error",
      "InventoryAdjustment",
      "InventoryBatch",
      "InventoryChange",
      "InventoryChangePage",
      "InventoryItem",
      "InventoryUpdate",
      "Order",
      "OrderStatus",
      "Pet",
      "PetStatus",
      "QuantityUpdate",
      "SnapshotPart",
      "StreamError",
      "VersionedItem",
      "WatchEvent",
      "WatchEventChange",
      "WatchEventHeartbeat",
      "WatchEventReady",
      "WatchEventSnapshot",
      "WatchHeartbeat",
      "WatchReady",
    ]);
    expect(document.info.version).toBe("1.0.0");
  });

  it("tells the bounds of integers exactly", () => {
    const { petId, quantity } = document.components.schemas.InventoryItem.properties;
    expect(petId).toMatchObject({ type: "integer", format: "int64", minimum: 1 });
    expect(quantity).toMatchObject({ format: "int32", minimum: 0, maximum: 2_147_483_647 });
    expect(documentText).toContain('"maximum": 9223372036854775807\n');
    expect(document.components.schemas.SnapshotPart.properties.removedPetIds.items.minimum).toBe(1);
    expect(documentText).not.toContain("9223372036854775808");
    expect(document.components.schemas.InventoryItem.required).toEqual(
      expect.arrayContaining(["petId", "quantity", "status"]),
    );
  });

  it("says in HTTP's own words what an operation does", () => {
    const texts = [...documentText.matchAll(/"(?:description|summary)": (".*")/g)];
    expect(texts.length).toBeGreaterThan(100);
    for (const [, text = ""] of texts) {
      expect.soft(text).not.toMatch(/NOT_FOUND|FAILED_PRECONDITION|UNA[A-Z]{5,}|RESOURCE_EX/);
      expect.soft(text).not.toMatch(/(?:pet|order)_id|(?:page|resume)_token|expected_/);
    }
    const { description } = document.paths["/inventory/{petId}"].patch;
    expect(description).toContain("Fails with 404 when the store has no such pet.");
    const batch = document.paths["/inventory:batchUpdate"].post;
    expect(batch.description).toContain("`updates[3].petId`");
  });

  it("has each scope as the role that an operation needs", () => {
    const scopes = operations.map(({ operation }) => [operation["x-scope"], operation.security]);
    for (const [scope, security] of scopes) expect(security).toEqual([{ apiKey: [scope] }]);
    expect(new Set(scopes.map(([scope]) => scope)).size).toBe(3);
  });

  it("has headers in place of the fields that collide with them", () => {
    const names = operations.flatMap(({ operation }) =>
      (operation.parameters ?? []).map(({ name }) => name),
    );
    expect(names).toEqual(expect.arrayContaining(["Idempotency-Key", "If-Match"]));
    expect(names).not.toContain("readMask");
    expect(names).not.toContain("idempotencyKey");
    expect(names).not.toContain("expectedVersion");
    expect(document.components.schemas.InventoryAdjustment.properties).not.toHaveProperty(
      "idempotencyKey",
    );
  });

  it.each([
    ["If-Match", ["*", '"7"', 'W/"7"', '"7", "8"', '""'], ["7", '"7', '"7" "8"', "*, *", "", ","]],
    [
      "Idempotency-Key",
      ["x".repeat(255), '"x"', "!~", '"\\\\"', 'a"b', `"${"x".repeat(255)}"`],
      ["", '""', "x".repeat(256), "a b", '"a', '"a"b"', '"a\\b"', "\xe9"],
    ],
  ])("has the pattern that the server has for %s", (name, good, bad) => {
    const header = operations
      .flatMap(({ operation }) => operation.parameters ?? [])
      .find((parameter) => parameter.name === name);
    const pattern = new RegExp(header?.schema.pattern ?? "", "u");
    expect(good.filter((value) => !pattern.test(value))).toEqual([]);
    expect(bad.filter((value) => pattern.test(value))).toEqual([]);
  });

  it("tells the events of a watch by the member that each has", () => {
    const { content } = document.paths["/inventory:watch"].get.responses[200];
    const schema = { $ref: "#/components/schemas/WatchEvent" };
    expect(content["text/event-stream"].schema).toEqual(schema);
    expect(content["application/x-ndjson"].schema).toEqual(schema);
    expect(content["application/json"].schema.items.anyOf).toContainEqual(schema);
    const { oneOf } = document.components.schemas.WatchEvent;
    const required = oneOf.map(({ $ref }: { $ref: string }) => {
      const event = resolve<{ required: string[] }>($ref.slice(2).split("/"));
      return event.value.required;
    });
    expect(required).toEqual([
      ["snapshot", "resumeToken"],
      ["ready", "resumeToken"],
      ["change", "resumeToken"],
      ["heartbeat", "resumeToken"],
    ]);
  });

  it("closes what requests are made of, and nothing that may grow", () => {
    const { Error: error, InventoryItem, InventoryUpdate } = document.components.schemas;
    expect(InventoryUpdate.additionalProperties).toBe(false);
    expect(InventoryItem).not.toHaveProperty("additionalProperties");
    expect(error).not.toHaveProperty("additionalProperties");
  });

  it("says what is experimental, and what is deprecated until when", () => {
    expect(document.paths["/inventory/{petId}"].patch["x-stability"]).toBe("experimental");
    expect(document.paths["/pets/{petId}"].get).toMatchObject({
      deprecated: true,
      "x-sunset": "2027-12-31",
    });
    const { headers } = document.components;
    const notice = deprecationNotice(PetService.method.getPet, readConfig({}).petsSunset);
    expect(notice?.headers).toEqual({
      deprecation: headers.Deprecation.example,
      sunset: headers.Sunset.example,
      link: headers.Link.example,
    });
  });

  it("has examples that are what their schemas say", () => {
    const contents = [...mediaTypes(document, [])];
    expect(contents.length).toBeGreaterThan(10);
    for (const { place, mediaType } of contents) {
      const check = schemas.at(...place, "schema");
      const examples = Object.entries(mediaType.examples ?? {});
      expect(examples.length, place.join(" ")).toBeGreaterThan(0);
      for (const [name, { value }] of examples) {
        expect.soft(check(value), `${name} at ${place.join(" ")}`).toEqual([]);
      }
    }
  });

  it("has examples of header fields that are what their schemas say", () => {
    for (const name of Object.keys(document.components.headers)) {
      const place = ["components", "headers", name];
      const { example } = resolve<{ example: unknown }>(place).value;
      expect.soft(schemas.at(...place, "schema")(example), name).toEqual([]);
    }
  });
});

/** Every Media Type Object, where it stands. */
function* mediaTypes(
  value: unknown,
  place: readonly string[],
): Generator<{ place: readonly string[]; mediaType: MediaType }> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const here = [...place, name];
    if (place.at(-1) === "content") yield { place: here, mediaType: inner };
    else yield* mediaTypes(inner, here);
  }
}
