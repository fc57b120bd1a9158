import { expect, it } from "vitest";
import { HoldState } from "../../gen/store/v1/store_pb.ts";
import { newHolds, saveHold } from "../../src/stores/memory/holds.ts";

// Each change of the index moves the texts behind it. So the end of 1,000 holds of 100 pets would block the process for
// seconds if each pet had a text.
it("indexes a hold of 100 pets with as many texts as a hold of one pet", () => {
  const sizes = [1, 100].map((pets) => {
    const holds = newHolds();
    saveHold(holds, {
      holdId: "cart-7",
      accountId: "aaaaaaaaaaaa",
      items: Array.from({ length: pets }, (_, at) => ({ petId: BigInt(at + 1), quantity: 1 })),
      state: HoldState.ACTIVE,
      expiresAt: 1_000,
      endedAt: 0,
      orderIds: [],
      life: 1n,
    });
    return holds.index.length;
  });
  expect(sizes[1]).toBe(sizes[0]);
});
