import { vi } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { dayMs } from "../../../src/common/durations.ts";
import { maxHolds } from "../../../src/stores/hold-store.ts";
import { bearer, type Contract, ownAccount } from "../../contract/support.ts";
import { type Provocation, table } from "./table.ts";

const line = "PUT /v1/store/holds/cart-7";
const confirm = "POST /v1/store/holds/cart-7:confirm";
const release = "DELETE /v1/store/holds/cart-7";
const body = '{"items":[{"petId":1,"quantity":1}]}';

async function hold({ server }: Contract, ...holdIds: readonly string[]): Promise<void> {
  const item = { petId: 1n, quantity: 1 };
  await Promise.all(
    holdIds.map((holdId) =>
      server.stores.holds.put(ownAccount, holdId, { items: [item], ttlMs: dayMs }),
    ),
  );
}

/** Responses to the operations on holds. */
export const holdProvocations: readonly Provocation[] = [
  ...table({
    async "confirmHold 409 HOLD_ENDED=: the hold has expired"(contract) {
      await hold(contract, "cart-7");
      contract.server.clock.now += dayMs - 1;
      await contract.send(line, { body: body.replace("]", '],"ttlSeconds":1') });
      contract.server.clock.now += 1_000;
      return contract.send(confirm);
    },
    async "putHold 429 HOLD_LIMIT_REACHED: the account has too many holds"(contract) {
      await contract.server.stores.inventory.change({ petId: 1n, quantity: 2 * maxHolds });
      await hold(contract, ...Array.from({ length: maxHolds }, (_, at) => `other-${at}`));
      return contract.send(line, { body });
    },
    "confirmHold 429 ORDER_LIMIT_REACHED: the account has too many open orders"({ server, send }) {
      const outcome = { kind: "order_limit", most: 100_000 } as const;
      vi.spyOn(server.stores.holds, "confirm").mockResolvedValueOnce(outcome);
      return send(confirm);
    },
    "placeOrder 429 ORDER_LIMIT_REACHED: the account has too many open orders"({ server, send }) {
      const outcome = { kind: "order_limit", most: 100_000, replayed: false } as const;
      vi.spyOn(server.stores.orders, "place").mockResolvedValueOnce(outcome);
      return send("POST /v1/store/orders", { body: '{"petId":1,"quantity":1}' });
    },
  }),
  ...(
    [
      ["confirmHold", confirm],
      ["releaseHold", release],
    ] as const
  ).map(([operationId, request]) => ({
    operationId,
    status: 429,
    what: "it counts as more than the limit",
    reason: "BATCH_OVER_LIMIT",
    async ask({ newAccount, send, server }: Contract) {
      const limits = { perMinute: 1, perDay: 1_000 };
      const key = await newAccount("bbbbbbbbbbbb", { plan: "enterprise", limits });
      const pets = Array.from({ length: 21 }, (_, at) => BigInt(at + 1_000));
      await server.stores.catalog.put(
        pets.map((petId) => ({ petId, quantity: 1, status: PetStatus.AVAILABLE })),
      );
      const items = pets.map((petId) => ({ petId, quantity: 1 }));
      await server.stores.holds.put("bbbbbbbbbbbb", "cart-7", { items, ttlMs: dayMs });
      return send(request, { authorization: bearer(key) });
    },
  })),
  ...table({
    "listHolds 400 FIELD_INVALID: the page token is not one": ({ send }) =>
      send("GET /v1/store/holds?pageToken=x"),
  }),
];
