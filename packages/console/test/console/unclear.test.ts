import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { RpcReason } from "../../../../src/contract/catalogue.ts";
import { serviceError } from "../../../../src/contract/errors.ts";
import { faultOf } from "../../src/console/shared/call-fault.ts";
import { isUnclear } from "../../src/console/shared/unclear.ts";

describe("whether a failed call of the console may have made its change", () => {
  test.each<[RpcReason, outcome: string | undefined, isUnclear: boolean]>([
    ["STORE_UNAVAILABLE", "unchanged", false],
    ["STORE_UNAVAILABLE", "unknown", true],
    ["STORE_FULL", "unchanged", false],
    ["DEADLINE_EXCEEDED", "unchanged", false],
    ["DEADLINE_EXCEEDED", "unknown", true],
    ["SERVER_DRAINING", "unknown", true],
    ["SERVER_OVERLOADED", undefined, false],
    ["RATE_LIMITED", undefined, false],
    ["PET_EXISTS", undefined, false],
    ["IDEMPOTENCY_KEY_IN_USE", undefined, true],
    ["INTERNAL", undefined, true],
  ])("%s with the outcome %s: %s", (reason, changeOutcome, expected) => {
    const metadata: Record<string, string> = changeOutcome ? { changeOutcome } : {};
    expect(isUnclear(faultOf(serviceError(reason, "No.", { metadata })))).toBe(expected);
  });

  test.each([
    [Code.Unavailable, true],
    [Code.Unknown, true],
    [Code.DeadlineExceeded, true],
    [Code.PermissionDenied, false],
  ])("the code %i without a reason, as after a lost response: %s", (code, expected) => {
    expect(isUnclear(faultOf(new ConnectError("No.", code)))).toBe(expected);
  });
});
