import { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { errorResponses } from "../../src/api-docs/openapi/error-responses.ts";
import { catalogue } from "../../src/contract/errors.ts";
import { httpErrorFrom } from "../../src/http/error-response.ts";
import { httpErrors } from "../../src/http/http-errors.ts";

const known = [
  ...Object.entries(catalogue).map(([reason, [code, , own]]) => {
    const { status } = httpErrorFrom(new ConnectError("", code), { statusOf: () => own });
    return `${status} ${reason}`;
  }),
  ...Object.entries(httpErrors).map(([reason, [status]]) => `${status} ${reason}`),
];

test("documented errors have the statuses of the catalogue", () => {
  const documented = errorResponses(1, 2).flatMap(({ status, reasons }) =>
    reasons.map((reason) => `${status} ${reason}`),
  );
  expect(documented.length).toBeGreaterThan(20);
  const others = documented.filter((each) => !known.includes(each));
  // The response for all other statuses names its reasons without one.
  expect(others.filter((each) => !each.startsWith("default "))).toEqual([]);
  const reasons = known.map((each) => each.split(" ")[1]);
  for (const each of others) expect(reasons).toContain(each.split(" ")[1]);
});

test("documented errors include all of HTTP, except that of a path without an operation", () => {
  const reasons = errorResponses(1, 2).flatMap((each) => each.reasons);
  const { PATH_NOT_FOUND, ...ofOperations } = httpErrors;
  expect(reasons).toEqual(expect.arrayContaining(Object.keys(ofOperations)));
});
