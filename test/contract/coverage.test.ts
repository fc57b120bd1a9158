import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { bounds } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../../packages/connect-gateway/src/call/option.ts";
import { rpcName } from "../../packaging/generate/samples/requests.ts";
import {
  httpRequestOf,
  invalidHttpRequestOf,
  invalidRequestOf,
  methods,
} from "../support/operations.ts";

const files = globSync(join(import.meta.dirname, "*.test.ts"));
const tests = files.map((file) => readFileSync(file, "utf8")).join("\n");

/** Whether a test of the contract names a method, as RPC, by a client, or by a path. */
function isTested(method: DescMethod): boolean {
  const { case: verb = "", value } = optionOf(method, http)?.pattern ?? {};
  const path = String(value).replace(/\{\w+\}/g, "(?:\\$\\{.+?\\}|[^/:\\s]+)");
  const line = new RegExp(`\\b${verb.toUpperCase()} ${path}(?![\\w/:])`);
  return (
    tests.includes(rpcName(method)) ||
    new RegExp(`\\.${method.localName}\\b`).test(tests) ||
    (verb !== "" && line.test(tests))
  );
}

test("every method has a test of the contract", () => {
  const untested = methods.filter((method) => !isTested(method)).map(rpcName);
  expect(untested, "add a test of these to test/contract").toEqual([]);
});

test("every method with bounds has a sample that breaks one", () => {
  const bounded = methods.filter(({ input }) =>
    input.fields.some((field) => hasOption(field, bounds)),
  );
  const ids = { accountId: "", keyId: "", orderId: "1" };
  const lacking = bounded.filter(
    (method) =>
      !invalidRequestOf(method) ||
      (httpRequestOf(method, ids) && !invalidHttpRequestOf(method, ids)),
  );
  expect(
    lacking.map(rpcName),
    "add a request that breaks a bound of these to the candidates of test/support/operations.ts",
  ).toEqual([]);
});
