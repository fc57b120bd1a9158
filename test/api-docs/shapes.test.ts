import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AccountSchema, GetAccountRequestSchema } from "../../gen/admin/v1/admin_pb.ts";
import {
  PreconditionFailureSchema,
  QuotaFailureSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import {
  InventoryService,
  ListInventoryChangesResponseSchema,
  ListItemChangesResponseSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { describeRoutes } from "../../src/api-docs/openapi/generator/describe-routes.ts";
import { writeJson } from "../../src/api-docs/openapi/generator/json.ts";
import type { Method } from "../../src/call/method.ts";
import { httpJson } from "../../src/contract/http-json.ts";
import { compileRoutes } from "../../src/rest/path/route.ts";
import { ShelfService } from "../rest/gen/shelf/v1/shelf_pb.ts";
import { streaming, unary, withRule } from "../rest/support/methods.ts";

const rpc = ShelfService.method;

/** Creates a method with any messages, at a path. */
function method(
  name: string,
  input: DescMessage,
  output: DescMessage,
  path: string,
): Method<string> {
  const desc = { ...rpc.audit, name, localName: name, input, output } as DescMethodUnary;
  return unary(withRule(desc, { pattern: { case: "get", value: path } }), () => ({}));
}

function describeMethods(
  methods: readonly Method<string>[],
  {
    basePath = "/v1",
    comments = {},
  }: { basePath?: string; comments?: Record<string, string> } = {},
) {
  const document = describeRoutes({
    routes: methods.flatMap((each) => compileRoutes(each, httpJson)),
    style: httpJson.style,
    comments,
    basePath,
    about: { info: { title: "Shapes", version: "1" } },
    security: { name: "key", scheme: { type: "http", scheme: "bearer" } },
    headers: {},
    successHeaders: [],
    errorSchema: { type: "object" },
    errors: [],
    notesOf: () => ({ tag: "shapes" }),
  });
  return JSON.parse(writeJson(document));
}

const empty = rpc.audit.input;

describe("the document of", () => {
  it("a wildcard without a variable names the parameter by its position", () => {
    const { paths } = describeMethods([method("probe", empty, empty, "/v1/*/books")]);
    expect(paths["/{segment2}/books"].get.parameters).toEqual([
      { name: "segment2", in: "path", required: true, schema: { type: "string" } },
    ]);
  });

  it("a stream has the schema of a message; the last element of the array can be an error", () => {
    const { paths, components } = describeMethods([streaming(rpc.scan, async function* () {})]);
    const { content } = paths["/scan"].get.responses[200];
    expect(Object.keys(content)).toEqual([
      "text/event-stream",
      "application/x-ndjson",
      "application/json",
    ]);
    const book = { schema: { $ref: "#/components/schemas/Book" } };
    expect(content["text/event-stream"]).toEqual(book);
    expect(content["application/x-ndjson"]).toEqual(book);
    expect(components.schemas.StreamError.required).toEqual(["error"]);
    expect(content["application/json"].schema).toEqual({
      type: "array",
      items: { $ref: "#/components/schemas/ScanResponseBookOrError" },
    });
    expect(components.schemas.ScanResponseBookOrError.anyOf).toEqual([
      { $ref: "#/components/schemas/Book" },
      { $ref: "#/components/schemas/StreamError" },
    ]);
  });

  it("a comment without a full stop is the summary, and a method without a comment has its name", () => {
    const { paths } = describeMethods(
      [method("one", empty, empty, "/v1/one"), method("two", empty, empty, "/v1/two")],
      { comments: { "shelf.v1.ShelfService.one": "Counts to one" } },
    );
    expect(paths["/one"].get.summary).toBe("Counts to one");
    expect(paths["/two"].get.summary).toBe("two");
  });

  it("a stability without a comment is described by its name only", () => {
    const { paths } = describeMethods([unary(InventoryService.method.updateInventory, () => ({}))]);
    expect(paths["/inventory/{petId}"].patch.description).toBe(
      "**This operation is experimental.**\n\nThe API key needs the scope `inventory:write`.",
    );
  });

  it("a string with a pattern applies it to the whole string", () => {
    const get = method("get", GetAccountRequestSchema, empty, "/v1/accounts/{account_id}");
    const { paths } = describeMethods([get]);
    expect(paths["/accounts/{accountId}"].get.parameters[0].schema).toMatchObject({
      type: "string",
      pattern: "^(?:[0-9a-hjkmnp-tv-z]{12})$",
    });
  });

  it("a response does not require an enum field that is left out when unspecified", () => {
    const { components } = describeMethods([method("get", empty, AccountSchema, "/v1/account")]);
    expect(components.schemas.Account.required).toEqual(["accountId", "name"]);
  });

  it("two messages with one name distinguishes them by their packages", () => {
    const { components } = describeMethods([
      method("a", empty, QuotaFailureSchema, "/v1/a"),
      method("b", empty, PreconditionFailureSchema, "/v1/b"),
    ]);
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(["Violation", "google.rpc.PreconditionFailure.Violation"]),
    );
  });

  it("two messages with the same http_name has one schema if they are equal", () => {
    const page = (name: string, schema: DescMessage) => method(name, empty, schema, `/v1/${name}`);
    const { paths, components } = describeMethods([
      page("all", ListInventoryChangesResponseSchema),
      page("one", ListItemChangesResponseSchema),
    ]);
    const schema = { $ref: "#/components/schemas/InventoryChangePage" };
    for (const path of ["/all", "/one"]) {
      expect(paths[path].get.responses[200].content["application/json"].schema).toEqual(schema);
    }
    expect(Object.keys(components.schemas)).not.toContain("ListItemChangesResponse");
    const comments = { "inventory.v1.ListItemChangesResponse": "Another comment." };
    expect(() =>
      describeMethods(
        [page("a", ListInventoryChangesResponseSchema), page("b", ListItemChangesResponseSchema)],
        { comments },
      ),
    ).toThrow(
      "inventory.v1.ListItemChangesResponse: rules.v1.http_name InventoryChangePage is that of another schema",
    );
  });

  it("codes and field names in comments has HTTP statuses and JSON names, and keeps other words", () => {
    const { paths } = describeMethods([method("one", empty, rpc.getBook.output, "/v1/one")], {
      comments: {
        "shelf.v1.ShelfService.one":
          "One. Fails with NOT_FOUND, or INVALID_ARGUMENT for `given_name`. Not STATUS_UNKNOWN, `the_name`, given_name.",
      },
    });
    expect(paths["/one"].get.description).toBe(
      "Fails with 404, or 400 for `givenName`. Not STATUS_UNKNOWN, `the_name`, given_name.",
    );
  });

  it("a path outside the base path throws", () => {
    const outside = () =>
      describeMethods([method("a", empty, empty, "/v1/a")], { basePath: "/v2" });
    expect(outside).toThrow("/v1/a does not begin with /v2");
  });
});
