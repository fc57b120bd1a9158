import { create } from "@bufbuild/protobuf";
import { compileRoutes } from "connect-gateway/rest";
import { describe, expect, test } from "vitest";
import {
  InventoryService,
  UpdateInventoryRequestSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { NodeHeaders } from "../../packages/connect-gateway/src/call/headers.ts";
import { bindRoutes } from "../../packages/connect-gateway/src/call/routes.ts";
import { writeDocument } from "../../packaging/generate/openapi/document.ts";
import { openApiDocument } from "../../src/api-docs/handlers.ts";
import { deprecationNotice } from "../../src/app/sunset.ts";
import { readConfig } from "../../src/config/config.ts";
import { httpJson } from "../../src/contract/json.ts";
import { idempotencyOf } from "../../src/services/inventory/idempotency.ts";
import { acceptedVersions } from "../../src/services/inventory/if-match.ts";
import { describeApi, limitFieldsOf } from "../contract/support.ts";
import { servicesOn } from "../support/services.ts";
import {
  document,
  documentText,
  type MediaType,
  operations,
  resolve,
  schemas,
} from "./support/document.ts";

describe("the OpenAPI document of a service", () => {
  const routes = bindRoutes(servicesOn()).flatMap((method) => compileRoutes(method, httpJson));

  test.each([
    {},
    { MAX_BODY_BYTES: "1024", PETS_SUNSET: "2030-01-31" },
    { MAX_BODY_BYTES: "262144" },
    { MAX_BODY_BYTES: "1048576" },
  ])("with the settings %o is what npm run generate would write", async (environment) => {
    const config = readConfig(environment);
    const { MAX_BODY_BYTES = "65536", PETS_SUNSET = "2027-12-31" } = environment;
    const served = await openApiDocument(config);
    expect(served === writeDocument(routes, config)).toBe(true);
    expect(served).toContain(`must not be larger than ${MAX_BODY_BYTES} bytes.`);
    expect(served).toContain(`"x-sunset": "${PETS_SUNSET}"`);
  });
});

describeApi("GET /openapi.json in $name", (contract) => {
  const anonymous = { authorization: null };

  test("many first requests get the same document", async () => {
    const first = Array.from({ length: 20 }, () =>
      contract.send("GET /openapi.json", { authorization: null }),
    );
    const replies = await Promise.all(first);
    expect(replies.map(({ status }) => status)).toEqual(first.map(() => 200));
    expect(new Set(replies.map(({ headers }) => headers.etag)).size).toBe(1);
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
  });

  test("200 with the committed document, without a key and without a limit", async () => {
    const reply = await contract.send("GET /openapi.json", anonymous);
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("application/json");
    expect(limitFieldsOf(reply)).toEqual({});
    expect(reply.body, "npm run generate makes another gen/openapi.json").toBe(documentText);
  });

  test("304 when the client has the current version", async () => {
    const { headers } = await contract.send("GET /openapi.json", anonymous);
    expect(headers).toMatchObject({ etag: expect.any(String), "cache-control": "no-cache" });
    const again = await contract.send("GET /openapi.json", {
      ...anonymous,
      headers: { "if-none-match": headers.etag },
    });
    expect(again).toMatchObject({ status: 304, body: "" });
  });
});

describe("the document", () => {
  test("has only the reasons in a request that a caller can give", () => {
    const { schemas } = document.components;
    const ofCallers = ["arrival", "return", "adjustment", "sale", "damage", "loss", "count"];
    expect(schemas.ChangeReasonInRequest?.enum).toEqual(ofCallers);
    expect(schemas.ChangeReason?.enum).toContain("import");
  });

  test("has the exact bounds of integers", () => {
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

  test("describes operations with HTTP statuses and JSON names", () => {
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

  test("lists the scope of an operation as its role", () => {
    const scopes = operations.map(({ operation }) => [operation["x-scope"], operation.security]);
    for (const [scope, security] of scopes) {
      expect(security).toEqual([{ apiKey: scope === undefined ? [] : [scope] }]);
    }
    expect(new Set(scopes.map(([scope]) => scope)).size).toBe(6);
  });

  test("has headers in place of the fields that they replace", () => {
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

  test.each([
    [
      "If-Match",
      acceptedVersions,
      ["*", '"7"', 'W/"7"', '"7", "8"', '""', `"7"${', "7"'.repeat(99)}`, "", ",", ', "7" ,, "8"'],
      ["7", '"7', '"7" "8"', "*, *", `"7"${', "7"'.repeat(100)}`],
    ],
    [
      "Idempotency-Key",
      (value: string) =>
        idempotencyOf(
          InventoryService.method.updateInventory,
          create(UpdateInventoryRequestSchema),
          new NodeHeaders({ "idempotency-key": value }),
        ),
      ["x".repeat(255), '"x"', "!~", '"\\\\"', 'a"b', `"${"x".repeat(255)}"`],
      ["", '""', "x".repeat(256), "a b", '"a', '"a"b"', '"a\\b"', "\xe9"],
    ],
  ])("has the pattern of the server for %s", (name, read, good, bad) => {
    const header = operations
      .flatMap(({ operation }) => operation.parameters ?? [])
      .find((parameter) => parameter.name === name);
    const pattern = new RegExp(header?.schema.pattern ?? "", "u");
    expect(good.filter((value) => !pattern.test(value))).toEqual([]);
    expect(bad.filter((value) => pattern.test(value))).toEqual([]);
    for (const value of good) expect.soft(() => read(value), value).not.toThrow();
    for (const value of bad) expect.soft(() => read(value), value).toThrow(name);
  });

  test("has the same schema for a resume token in the query and in the header", () => {
    const { parameters } = document.paths["/inventory:watch"].get;
    const named = (name: string) =>
      parameters.find((parameter: { name: string }) => parameter.name === name);
    const [query, header] = [named("resumeToken"), named("Last-Event-ID")];
    expect([query.in, header.in]).toEqual(["query", "header"]);
    expect(query.schema).toEqual({ type: "string", pattern: "^(?:(0|[1-9][0-9]{0,17})?)$" });
    expect(header.schema).toEqual(query.schema);
  });

  test("distinguishes the events of a watch by their member", () => {
    const { content } = document.paths["/inventory:watch"].get.responses[200];
    const schema = { $ref: "#/components/schemas/WatchEvent" };
    expect(content["text/event-stream"].schema).toEqual(schema);
    expect(content["application/x-ndjson"].schema).toEqual(schema);
    expect(content["application/json"].schema).toEqual({
      type: "array",
      items: { $ref: "#/components/schemas/WatchEventOrError" },
    });
    expect(document.components.schemas.WatchEventOrError.anyOf).toEqual([
      schema,
      { $ref: "#/components/schemas/StreamError" },
    ]);
    const { oneOf, description } = document.components.schemas.WatchEvent;
    expect(description).toContain("`snapshot`, `ready`, `change`, `heartbeat`");
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

  test("names every schema of an object or a choice, so that generated types have names", () => {
    const places = [...structures(document, [])];
    const isNamed = (place: readonly string[]) =>
      place.length === 3 && place[0] === "components" && place[1] === "schemas";
    expect(places.filter(isNamed).length).toBeGreaterThan(20);
    expect(places.filter((place) => !isNamed(place)).map((place) => place.join(" "))).toEqual([]);
  });

  test("forbids additional members in requests but not in responses", () => {
    const { Error: error, InventoryItem, InventoryUpdate } = document.components.schemas;
    expect(InventoryUpdate.additionalProperties).toBe(false);
    expect(InventoryItem).not.toHaveProperty("additionalProperties");
    expect(error).not.toHaveProperty("additionalProperties");
  });

  test("marks experimental and deprecated operations, with the sunset", () => {
    const { patch } = document.paths["/inventory/{petId}"];
    const meaning =
      "Any minor release may change the request or the response. The changelog says how.";
    expect(patch["x-stability"]).toBe("experimental");
    expect(patch.description).toContain(`**This operation is experimental.** ${meaning}`);
    expect(document.info.description).toContain(`- \`experimental\`: ${meaning}\n- \`beta\`: `);
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

  test("has examples that match their schemas", () => {
    const contents = [...mediaTypes(document, [])];
    expect(contents.length).toBeGreaterThan(10);
    for (const { place, mediaType } of contents) {
      const check = schemas.at(...place, "schema");
      const examples = Object.entries(mediaType.examples ?? {});
      const lacking = `add an example of ${place.join(" ")} to packaging/generate/samples`;
      expect(examples.length, lacking).toBeGreaterThan(0);
      for (const [name, { value }] of examples) {
        expect.soft(check(value), `${name} at ${place.join(" ")}`).toEqual([]);
      }
    }
  });

  test("has examples of headers that match their schemas", () => {
    for (const name of Object.keys(document.components.headers)) {
      const place = ["components", "headers", name];
      const { example } = resolve<{ example: unknown }>(place).value;
      expect.soft(schemas.at(...place, "schema")(example), name).toEqual([]);
    }
  });
});

/** Returns the location of every schema of an object or a choice. Examples are values, not schemas. */
function* structures(value: unknown, place: readonly string[]): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null) return;
  const members = value as Readonly<Record<string, unknown>>;
  const isChoice = ["oneOf", "anyOf", "allOf", "properties"].some((name) => name in members);
  if (isChoice || [members.type].flat().includes("object")) yield place;
  for (const [name, inner] of Object.entries(members)) {
    if (name !== "example" && name !== "examples") yield* structures(inner, [...place, name]);
  }
}

/** Returns every Media Type Object with its location. */
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
