import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AccountSchema, GetAccountRequestSchema } from "../../gen/admin/v1/admin_pb.ts";
import {
  PreconditionFailureSchema,
  QuotaFailureSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Method } from "../../src/call/method.ts";
import { httpJson } from "../../src/rest/json-form.ts";
import { describeRoutes } from "../../src/rest/openapi.ts";
import { writeJson } from "../../src/rest/openapi-json.ts";
import { compileRoutes } from "../../src/rest/route.ts";
import { ShelfService } from "../rest/gen/shelf/v1/shelf_pb.ts";
import { streaming, unary, withRule } from "../rest/support/methods.ts";

const rpc = ShelfService.method;

/** A method of any messages, at a path. */
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
    dialect: httpJson.dialect,
    comments,
    basePath,
    about: { info: { title: "Shapes", version: "1" } },
    security: { name: "key", scheme: { type: "http", scheme: "bearer" } },
    headers: {},
    answerHeaders: [],
    errorSchema: { type: "object" },
    errors: [],
    notesOf: () => ({ tag: "shapes" }),
  });
  return JSON.parse(writeJson(document));
}

const empty = rpc.audit.input;

describe("the document of", () => {
  it("a wildcard that no variable takes names the parameter by its place", () => {
    const { paths } = describeMethods([method("probe", empty, empty, "/v1/*/books")]);
    expect(paths["/{segment2}/books"].get.parameters).toEqual([
      { name: "segment2", in: "path", required: true, schema: { type: "string" } },
    ]);
  });

  it("raw content says that it can be of any media type, both ways", () => {
    const { paths } = describeMethods([unary(rpc.upload, () => ({}))]);
    const { requestBody, responses } = paths["/covers/{isbn}"].put;
    expect(requestBody.content).toEqual({ "*/*": {} });
    expect(responses[200].content).toEqual({ "*/*": {} });
  });

  it("a stream is an array of its messages, the last of which may be an error, or a text", () => {
    const { paths } = describeMethods([streaming(rpc.scan, async function* () {})]);
    const { content } = paths["/scan"].get.responses[200];
    expect(Object.keys(content)).toEqual([
      "application/json",
      "application/x-ndjson",
      "text/event-stream",
    ]);
    expect(content["application/json"].schema).toEqual({
      type: "array",
      items: {
        anyOf: [
          { $ref: "#/components/schemas/Book" },
          {
            type: "object",
            properties: { error: { $ref: "#/components/schemas/Error" } },
            required: ["error"],
          },
        ],
      },
    });
  });

  it("a comment without a full stop is the summary, and a method without one has its name", () => {
    const { paths } = describeMethods(
      [method("one", empty, empty, "/v1/one"), method("two", empty, empty, "/v1/two")],
      { comments: { "shelf.v1.ShelfService.one": "Counts to one" } },
    );
    expect(paths["/one"].get.summary).toBe("Counts to one");
    expect(paths["/two"].get.summary).toBe("two");
  });

  it("a stability that the comments do not explain is told by its word alone", () => {
    const { paths } = describeMethods([unary(InventoryService.method.updateInventory, () => ({}))]);
    expect(paths["/inventory/{petId}"].patch.description).toBe(
      "**This operation is experimental.**\n\nThe API key needs the scope `inventory:write`.",
    );
  });

  it("a string with a pattern has it for the whole string", () => {
    const get = method("get", GetAccountRequestSchema, empty, "/v1/accounts/{account_id}");
    const { paths } = describeMethods([get]);
    expect(paths["/accounts/{accountId}"].get.parameters[0].schema).toMatchObject({
      type: "string",
      pattern: "^(?:[0-9a-z]{12})$",
    });
  });

  it("an answer does not promise a field that is left out while it is unspecified", () => {
    const { components } = describeMethods([method("get", empty, AccountSchema, "/v1/account")]);
    expect(components.schemas.Account.required).toEqual(["accountId", "name"]);
  });

  it("two messages of one name tells them apart by their packages", () => {
    const { components } = describeMethods([
      method("a", empty, QuotaFailureSchema, "/v1/a"),
      method("b", empty, PreconditionFailureSchema, "/v1/b"),
    ]);
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(["Violation", "google.rpc.PreconditionFailure.Violation"]),
    );
  });

  it("a path outside of the base address is refused", () => {
    const outside = () =>
      describeMethods([method("a", empty, empty, "/v1/a")], { basePath: "/v2" });
    expect(outside).toThrow("/v1/a does not begin with /v2");
  });
});
