import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { newAuthorization } from "../support/accounts.ts";
import { httpRequestOf, methodOf } from "../support/operations.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";
import { document, operations } from "./support/document.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: "header" | "path" | "query";
  readonly schema: Schema;
}

/** Ids in the bodies of the requests, which have none. */
const ids = { accountId: "", keyId: "", orderId: "1" };

const restricted = operations.flatMap(({ method, path, operation }) =>
  ((operation.parameters ?? []) as readonly Parameter[])
    // Opaque, so that the document cannot describe it.
    .filter(({ name }) => name !== "pageToken")
    .map((parameter) => ({ ...parameter, id: operation.operationId, method, path })),
);

/** Text that a header can have: no control characters, and no white space at its ends. */
const sendable = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

function resolved({ schema: { items, ...whole } }: Parameter): Schema {
  const schema = items ?? whole;
  const name = schema.$ref?.split("/").at(-1);
  return name ? document.components.schemas[name] : schema;
}

/** Generates values that the document allows. */
function valid(parameter: Parameter): fc.Arbitrary<string> {
  const { enum: words, pattern, maxLength, minimum, maximum, type } = resolved(parameter);
  if (words) return fc.constantFrom(...words);
  if (type === "boolean") return fc.constantFrom("true", "false");
  if (type === "integer") {
    return fc
      .bigInt(BigInt(minimum ?? 0), maximum === 2 ** 63 ? 2n ** 63n - 1n : BigInt(maximum ?? 0))
      .map(String);
  }
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter((text) => sendable.test(text));
  const text = fc.string({ maxLength: maxLength ?? 200 });
  return parameter.in === "header" ? text.filter((each) => sendable.test(each)) : text;
}

/** Generates values that the document forbids; undefined when it allows all. */
function invalid(parameter: Parameter): fc.Arbitrary<string> | undefined {
  const { enum: words, pattern, maxLength, minimum, maximum, type } = resolved(parameter);
  if (words) return fc.constantFrom("unknown", "-1");
  if (type === "boolean") return fc.constantFrom("", "1", "TRUE", "yes");
  if (type === "integer") {
    const above = maximum === 2 ** 63 ? 2n ** 63n : BigInt(maximum ?? 0) + 1n;
    return fc.constantFrom(String((minimum ?? 0) - 1), String(above), "1.5", "x");
  }
  if (pattern) {
    // Without commas: the server accepts empty elements of lists.
    return fc
      .string({ unit: fc.constantFrom(...'"*W/0a \\'), minLength: 1, maxLength: 20 })
      .filter((text) => parameter.in === "query" || sendable.test(text))
      .filter((text) => !new RegExp(pattern).test(text));
  }
  return maxLength === undefined
    ? undefined
    : fc.string({ minLength: maxLength + 1, maxLength: maxLength + 1 });
}

test("a list whose elements are unique is described so", () => {
  const petIds = restricted.filter(({ name }) => name === "petIds");
  expect(petIds.map(({ id }) => id)).toContain("listInventory");
  for (const { schema } of petIds) {
    expect(schema).toMatchObject({ type: "array", maxItems: 100, uniqueItems: true });
  }
});

test("a change of one item has both conditional headers", () => {
  for (const id of ["updateInventory", "adjustInventory"]) {
    const parameters = restricted.filter((parameter) => parameter.id === id);
    for (const name of ["If-Match", "If-None-Match"]) {
      expect(parameters.find((parameter) => parameter.name === name)?.schema.pattern).toBeDefined();
    }
  }
});

describe("parameters", () => {
  const server = useServer(memoryKind);
  let authorization = "";

  beforeEach(async () => {
    authorization = await newAuthorization(server.stores, { scopes: ["admin"] });
  });

  async function send(
    { in: place, name, method, path, id }: (typeof restricted)[number],
    value: string,
  ) {
    const target = path.replace(/\{(\w+)\}/g, (_, variable) =>
      place === "path" && variable === name ? encodeURIComponent(value) : "1",
    );
    const query = place === "query" ? `?${name}=${encodeURIComponent(value)}` : "";
    const body = httpRequestOf(methodOf(id), ids)?.body;
    const aborted = new AbortController();
    const response = await fetch(`${server.url}/v1${target}${query}`, {
      method,
      signal: aborted.signal,
      headers: {
        authorization,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(place === "header" && { [name]: value }),
      },
      ...(body !== undefined && { body }),
    });
    const text = response.status === 200 ? "" : await response.text();
    aborted.abort();
    return { status: response.status, text };
  }

  test.each(restricted)("$id accepts each $name that the document allows", async (parameter) => {
    await fc.assert(
      fc.asyncProperty(valid(parameter), async (value) => {
        const { status, text } = await send(parameter, value);
        expect([status, status === 400 ? text : ""]).not.toEqual([400, text]);
      }),
      { numRuns: 25 },
    );
  });

  test.each(restricted.filter((each) => invalid(each) !== undefined))(
    "$id refuses each $name that the document forbids",
    async (parameter) => {
      await fc.assert(
        fc.asyncProperty(invalid(parameter) ?? fc.constant(""), async (value) => {
          expect((await send(parameter, value)).status).toBe(400);
        }),
        { numRuns: 25 },
      );
    },
  );
});
