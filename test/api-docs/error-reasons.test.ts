import { expect, test } from "vitest";
import { errorResponses } from "../../src/api-docs/openapi/error-responses.ts";
import { catalogue, rpcReasons } from "../../src/contract/catalogue.ts";

test("documented errors include all of HTTP, except that of a path without an operation", () => {
  const reasons = errorResponses(1, 2).flatMap((each) => each.reasons);
  const overRpc: readonly string[] = rpcReasons;
  const httpOnly = Object.keys(catalogue).filter((reason) => !overRpc.includes(reason));
  const ofOperations = httpOnly.filter((reason) => reason !== "PATH_NOT_FOUND");
  expect(ofOperations).toHaveLength(6);
  expect(reasons).toEqual(expect.arrayContaining([...ofOperations, "MESSAGE_TOO_LARGE"]));
});
