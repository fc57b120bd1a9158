import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { documentText } from "../../../../test/api-docs/support/document.ts";
import { readJson } from "../../src/reference/exact-json.ts";
import { httpCalls, type OpenApi } from "../../src/reference/openapi.ts";
import { curlOf, faultsOf, requestOf } from "../../src/reference/request.ts";

const calls = httpCalls(readJson(documentText) as OpenApi);

function callOf(method: string) {
  const call = calls.get(`inventory.v1.InventoryService/${method}`);
  if (!call) throw new Error(`the document has no ${method}`);
  return call;
}

const adjust = callOf("AdjustInventory");
const list = callOf("ListInventory");

describe("requestOf", () => {
  test("puts parameters into the path, query and headers, and omits empty ones", () => {
    const values = {
      petId: "9007199254740993",
      reason: "arrival",
      note: "2 & 3 # é",
      reference: "",
      "Idempotency-Key": "delivery-17",
    };
    expect(requestOf(callOf("UpdateInventory"), { values, body: "{}" })).toEqual({
      method: "PATCH",
      target: "/v1/inventory/9007199254740993?reason=arrival&note=2+%26+3+%23+%C3%A9",
      headers: { "Content-Type": "application/json", "Idempotency-Key": "delivery-17" },
      body: "{}",
    });
  });

  test("repeats a parameter for each of its values", () => {
    const values = { petIds: "1, 9007199254740993 3,", status: "sold" };
    expect(requestOf(list, { values, body: "" }).target).toBe(
      "/v1/inventory?status=sold&petIds=1&petIds=9007199254740993&petIds=3",
    );
  });

  test("requests a watch as lines", () => {
    expect(requestOf(callOf("WatchInventory"), { values: {}, body: "" })).toEqual({
      method: "GET",
      target: "/v1/inventory:watch",
      headers: { Accept: "application/x-ndjson" },
    });
  });
});

describe("faultsOf", () => {
  const faults = (values: Record<string, string>, body = '{"delta": 1}') =>
    faultsOf(adjust, { values, body });

  test.each([
    ["", "is required"],
    ["x", "must be an integer"],
    ["1.5", "must be an integer"],
    ["0", "must be at least 1"],
    ["9223372036854775808", "must be at most 9223372036854775807"],
  ])("petId %j: %s", (petId, fault) => {
    expect(faults({ petId })).toEqual({ petId: fault });
  });

  test.each(["1", "9223372036854775807"])("none for petId %s", (petId) => {
    expect(faults({ petId })).toEqual({});
  });

  test("names a value that does not match the pattern", () => {
    expect(faults({ petId: "1", "Idempotency-Key": "a b" })).toEqual({
      "Idempotency-Key": expect.stringMatching(/^must match \^/),
    });
  });

  test("names a body that is not JSON", () => {
    expect(faults({ petId: "1" }, '{"delta": }')).toEqual({
      body: expect.stringMatching(/^is not JSON: /),
    });
  });

  test("none for optional parameters that are absent", () => {
    expect(faultsOf(list, { values: {}, body: "" })).toEqual({});
    expect(faultsOf(list, { values: { pageSize: "1001" }, body: "" })).toEqual({
      pageSize: "must be at most 1000",
    });
  });
});

test("curlOf returns a command whose arguments a shell reads as they are meant", () => {
  const body = `{"note": "it's $HOME \\\\ \`x\`"}`;
  const request = requestOf(adjust, { values: { petId: "1", "Idempotency-Key": "a'b" }, body });
  const command = curlOf(request, "http://127.0.0.1:8080");
  expect(command).not.toContain("inv_");
  const printed = execFileSync("sh", ["-c", command.replace(/^curl/, "printf '%s\\n'")], {
    env: { INVENTORY_API_KEY: "inv_key" },
    encoding: "utf8",
  });
  expect(printed.trimEnd().split("\n")).toEqual([
    "-w",
    "\\n",
    "-X",
    "POST",
    "http://127.0.0.1:8080/v1/inventory/1:adjust",
    "-H",
    "Authorization: Bearer inv_key",
    "-H",
    "Content-Type: application/json",
    "-H",
    "Idempotency-Key: a'b",
    "-d",
    body,
  ]);
});
