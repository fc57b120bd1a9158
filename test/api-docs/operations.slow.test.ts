import { afterEach, describe, expect, test, vi } from "vitest";
import { type Reply, useContract } from "../contract/support.ts";
import { storeKinds } from "../support/stores.ts";
import {
  document,
  type HeaderObject,
  operations,
  type ResponseObject,
  resolve,
  schemas,
} from "./support/document.ts";
import { parseExactly } from "./support/exact-json.ts";
import { pastSunset, provocations, provoked } from "./support/provocations.ts";
import type { Provocation } from "./support/table.ts";

/** Headers that a response may have only if they are documented. */
const documentedOnly = [
  ...Object.keys(document.components.headers),
  "Accept-Patch",
  "Accept-Encoding",
  "X-Error-Reason",
];

function expectDocumented(
  reply: Reply,
  { operationId, status, reason, isDefault, example }: Provocation,
) {
  expect(reply.status).toBe(status);
  expect(reply.headers["x-error-reason"]).toBe(reason);
  const found = operations.find(({ operation }) => operation.operationId === operationId);
  const key = isDefault ? "default" : String(status);
  expect(Object.keys(found?.operation.responses ?? {})).toContain(key);
  if (isDefault) expect(found?.operation.responses).not.toHaveProperty(String(status));
  const { value: response, place } = resolve<ResponseObject>([
    ...(found?.place ?? []),
    "responses",
    key,
  ]);
  expectHeaders(reply, response, place);
  if (response.content === undefined) {
    expect(reply.body).toBe("");
    return;
  }
  expect(reply.headers["content-type"]).toBe("application/json");
  const content = [...place, "content", "application/json"];
  expect(schemas.at(...content, "schema")(parseExactly(reply.body))).toEqual([]);
  if (example !== undefined) {
    const documented = resolve<{ value: unknown }>([...content, "examples", example]);
    expect(JSON.parse(reply.body)).toEqual(documented.value.value);
  }
}

function expectHeaders(reply: Reply, response: ResponseObject, place: readonly string[]) {
  for (const name of documentedOnly) {
    const value = reply.headers[name.toLowerCase()];
    if (!(name in response.headers)) {
      expect.soft(value, `${name}, which is not documented`).toBeUndefined();
      continue;
    }
    const { value: header, place: at } = resolve<HeaderObject>([...place, "headers", name]);
    if (header.required) expect.soft(value, name).toBeDefined();
    if (value === undefined) continue;
    const read = header.schema.type === "integer" ? parseExactly(String(value)) : value;
    expect.soft(schemas.at(...at, "schema")(read), name).toEqual([]);
  }
}

afterEach(() => void vi.restoreAllMocks());

// The tests of each operation in test/contract use both kinds of stores.
describe.each(storeKinds.slice(0, 1))("the operations of the document, in $name", (kind) => {
  describe("before a sunset", () => {
    const contract = useContract(kind, { ...provoked, PETS_SUNSET: "2999-12-31" });

    test.each(provocations.filter(({ afterSunset }) => !afterSunset))(
      "$operationId: $status when $what",
      async (provocation) => {
        const reply = await provocation.ask(contract);
        expectDocumented(reply, provocation);
        // The server logs faults, which are provoked here on purpose.
        if (reply.status >= 500) (contract.server.faults as unknown[]).length = 0;
      },
    );
  });

  describe("after a sunset", () => {
    const contract = useContract(kind, { PETS_SUNSET: pastSunset });

    test.each(provocations.filter(({ afterSunset }) => afterSunset))(
      "$operationId: $status when $what",
      async (provocation) => {
        expectDocumented(await provocation.ask(contract), provocation);
      },
    );
  });
});
