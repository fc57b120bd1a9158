import { expect, test } from "vitest";
import { errorResponses } from "../../src/api-docs/openapi/error-responses.ts";
import { catalogue, rpcReasons } from "../../src/contract/catalogue.ts";
import { httpTerms } from "../../src/http/generic-errors.ts";

const known = Object.entries(catalogue).map(
  ([reason, kind]) => `${httpTerms(kind).status} ${reason}`,
);

test("documented errors have the statuses of the catalogue", () => {
  const documented = errorResponses(1, 2).flatMap(({ status, reasons }) =>
    reasons.map((reason) => `${status} ${reason}`),
  );
  expect(documented.length).toBeGreaterThan(20);
  const others = documented.filter((each) => !known.includes(each));
  // The response for all other statuses names its reasons without one.
  expect(others.filter((each) => !each.startsWith("default "))).toEqual([]);
  for (const each of others) expect(Object.keys(catalogue)).toContain(each.split(" ")[1]);
});

test("documented errors include all of HTTP, except that of a path without an operation", () => {
  const reasons = errorResponses(1, 2).flatMap((each) => each.reasons);
  const overRpc: readonly string[] = rpcReasons;
  const httpOnly = Object.keys(catalogue).filter((reason) => !overRpc.includes(reason));
  const ofOperations = httpOnly.filter((reason) => reason !== "PATH_NOT_FOUND");
  expect(ofOperations).toHaveLength(6);
  expect(reasons).toEqual(expect.arrayContaining([...ofOperations, "MESSAGE_TOO_LARGE"]));
});
