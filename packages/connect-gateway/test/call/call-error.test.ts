import { Code, ConnectError } from "@connectrpc/connect";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { callError, headersOf } from "../../src/call/call-error.ts";

const message = "Retry later.";
const headers = { "retry-after": "1" };
const cause = new Error("private");

type Detail = Extract<ConnectError["details"][number], { desc: unknown }>;

function errors(details: Detail[] = []) {
  const own = callError(message, Code.Unavailable, { headers, details, cause });
  return { own, connect: new ConnectError(message, Code.Unavailable, headers, details, cause) };
}

test("an error is one of Connect's, and has the same properties", () => {
  const { own, connect } = errors();
  expect(own).toBeInstanceOf(ConnectError);
  expect(own).toBeInstanceOf(Error);
  expect(ConnectError.from(own)).toBe(own);
  for (const name of Object.keys(connect) as (keyof ConnectError)[]) {
    expect([name, own[name]]).toEqual([name, connect[name]]);
  }
  expect(own.message).toBe(connect.message);
  expect(`${own}`).toBe(`${connect}`);
});

test("its details are found and encoded as those of Connect's errors", () => {
  const value = { reason: "BUSY", domain: "inventory" };
  const { own, connect } = errors([{ desc: ErrorInfoSchema, value }]);
  expect(own.findDetails(ErrorInfoSchema)).toEqual(connect.findDetails(ErrorInfoSchema));
  expect(own.findDetails(ErrorInfoSchema)).toHaveLength(1);
  expect(own.findDetails(BadRequestSchema)).toEqual([]);
  expect(errorToJson(own, undefined)).toEqual(errorToJson(connect, undefined));
});

test("the headers of both kinds are found, also those of a frozen error", () => {
  const { own, connect } = errors();
  expect(headersOf(own)).toEqual(headers);
  expect(headersOf(connect)).toEqual(headers);
  expect(headersOf(callError(message, Code.NotFound))).toEqual({});
  expect(Object.freeze(own).metadata.get("Retry-After")).toBe("1");
});
