import { expect, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { isRead } from "../../src/contract/annotations.ts";
import { polledMethods } from "../../src/services/guards.ts";

test("every call of these reads is recorded", () => {
  const names = AdminService.methods
    .filter(isRead)
    .flatMap((method) => (polledMethods.has(method) ? [] : method.name));
  const advice = "A new read: add it here, or to polledMethods in src/services/guards.ts";
  expect(names.sort(), advice).toEqual([
    "GetAccount",
    "GetHold",
    "ListAccounts",
    "ListAllKeys",
    "ListHolds",
    "ListKeys",
    "ListOrders",
  ]);
});
