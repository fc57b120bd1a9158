import { expect, test } from "vitest";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { storedCharge } from "../../src/admission/charge.ts";
import { contextOf } from "../support/context.ts";

/** Makes a call of a key, of which admission has counted one request, or of this process, which is not counted. */
function callOf(isCounted: boolean) {
  const counted = { accountId: "aaaaaaaaaaaa", keyHash: "hash", countedAt: 1 };
  const caller = { accountId: "aaaaaaaaaaaa", keyId: "key", scopes: new Set<never>() };
  return contextOf(isCounted ? { ...caller, counted } : caller);
}

/** Changes a hold that has so many items at each attempt. Returns the items that were charged, and paid at each attempt. */
async function change(sizes: readonly number[], isCounted = true) {
  const charged: number[] = [];
  const paidFor: number[] = [];
  const pay = storedCharge(StoreService.method.confirmHold, async (_, items) => {
    charged.push(items);
  });
  const outcome = await pay(callOf(isCounted), async (paid) => {
    const items = sizes[paidFor.length] ?? 0;
    paidFor.push(paid);
    return items > paid ? { kind: "costs", items } : { kind: "held" };
  });
  return { kind: outcome.kind, charged, paidFor };
}

test("charges nothing for items that admission has counted", async () => {
  expect(await change([20])).toEqual({ kind: "held", charged: [], paidFor: [20] });
});

test("charges all items, and changes them then", async () => {
  expect(await change([41, 41])).toEqual({ kind: "held", charged: [41], paidFor: [20, 60] });
});

test("charges the rest of a hold that has grown in the meantime", async () => {
  // 100 items count as 5 requests: one by admission, 2 for the first 41, and 2 for the others.
  const { charged, paidFor } = await change([41, 100, 100]);
  expect(charged.map((items) => Math.ceil(items / 20) - 1)).toEqual([2, 2]);
  expect(paidFor).toEqual([20, 60, 100]);
});

test("charges nothing to callers within the process", async () => {
  const unlimited = { kind: "held", charged: [], paidFor: [Number.POSITIVE_INFINITY] };
  expect(await change([100], false)).toEqual(unlimited);
});
