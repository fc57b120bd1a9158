import { createClient, type Transport } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import {
  ChangeReason,
  type InventoryChange,
  InventoryService,
  ListInventoryChangesResponseSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { protocols } from "../../packages/connect-gateway/test/rpc/support.ts";
import { httpJson } from "../../src/contract/json.ts";
import type { TestKey } from "../support/accounts.ts";
import { nthVersion } from "../support/stores.ts";
import { startWatch, watchProtocols } from "../support/watch.ts";
import { bearer, type Contract, describeApi, ownAccount, stock } from "./support.ts";

const otherAccount = "bbbbbbbbbbbb";

const first = nthVersion(stock.length);

/** The fields that only some callers may see. */
const said = { note: "for Ms. Smith", reference: "PO-17" };
const hidden = { note: "", reference: "", accountId: "", keyId: "", requestId: "" };

/** Lists the changes of all pets and those of pet 1. */
type ListChanges = (url: string, key: TestKey) => Promise<InventoryChange[][]>;

function byRpc(transport: (baseUrl: string) => Transport): ListChanges {
  return async (url, key) => {
    const client = createClient(InventoryService, transport(url));
    const options = { headers: { authorization: bearer(key) } };
    const all = await client.listInventoryChanges({}, options);
    const ofOne = await client.listItemChanges({ petId: 1n }, options);
    return [all.changes, ofOne.changes];
  };
}

const byHttp: ListChanges = (url, key) =>
  Promise.all(
    ["/v1/inventory/changes", "/v1/inventory/1/changes"].map(async (path) => {
      const reply = await fetch(url + path, { headers: { authorization: bearer(key) } });
      const text = await reply.text();
      return httpJson.decodeJson(ListInventoryChangesResponseSchema, text).changes;
    }),
  );

const lists: readonly (readonly [name: string, list: ListChanges])[] = [
  ["JSON over HTTP", byHttp],
  ...protocols.map(([name, open]) => [name, byRpc(open)] as const),
];

async function adjust(contract: Contract, requestId: string): Promise<void> {
  const reply = await contract.send("POST /v1/inventory/1:adjust", {
    headers: { "x-request-id": requestId },
    body: JSON.stringify({ delta: 1, reason: "arrival", ...said }),
  });
  expect(reply.status).toBe(200);
}

/** The change of {@link adjust}, as its account sees it. */
function shownTo(contract: Contract, requestId: string) {
  return { ...said, accountId: ownAccount, keyId: contract.own.keyId, requestId };
}

const everyoneSees = (quantity: number) => ({
  petId: 1n,
  quantityBefore: quantity - 1,
  quantityAfter: quantity,
  reason: ChangeReason.ARRIVAL,
});

describeApi("visibility of the origin of changes in $name", (contract) => {
  const { server } = contract;
  const other = (...scopes: Parameters<Contract["newAccount"]>[2] & object) =>
    contract.newAccount(otherAccount, { plan: "business" }, scopes);

  describe.each(lists)("lists by %s", (_, list) => {
    test("the account that made the change sees it, also with another key", async () => {
      await adjust(contract, "request-1");
      const key = await contract.newKey({ scopes: ["inventory:read"] });
      for (const [change] of await list(server.url, key)) {
        expect(change).toMatchObject({ ...everyoneSees(13), ...shownTo(contract, "request-1") });
      }
    });

    test("a key with the scope inventory:audit sees it", async () => {
      await adjust(contract, "request-1");
      const auditor = await other("inventory:read", "inventory:audit");
      for (const [change] of await list(server.url, auditor)) {
        expect(change).toMatchObject(shownTo(contract, "request-1"));
      }
    });

    test("a key with the scope admin sees it", async () => {
      await adjust(contract, "request-1");
      for (const [change] of await list(server.url, await other("admin"))) {
        expect(change).toMatchObject(shownTo(contract, "request-1"));
      }
    });

    test("other accounts do not see it", async () => {
      await adjust(contract, "request-1");
      const stranger = await other("inventory:read", "inventory:write", "store:read");
      for (const [change] of await list(server.url, stranger)) {
        expect(change).toMatchObject({ ...everyoneSees(13), ...hidden });
        expect(change?.changedAt).toBeDefined();
      }
    });
  });

  test("only the account that placed an order sees its id", async () => {
    const method = "store.v1.StoreService/PlaceOrder";
    const { order } = JSON.parse((await contract.call(method, { petId: 1, quantity: 2 })).body);
    const stranger = await other("inventory:read");
    const [[seen] = []] = await byHttp(server.url, stranger);
    expect(seen).toMatchObject({ reason: ChangeReason.ORDER, ...hidden });
    const [[own] = []] = await byHttp(server.url, contract.own);
    expect(own).toMatchObject({ reason: ChangeReason.ORDER, reference: order.orderId });
  });

  test("no account sees the origin of an operator's change", async () => {
    const origin = { ...hidden, reason: ChangeReason.ADJUSTMENT, note: "by the operator" };
    await server.stores.catalog.update(1n, { status: 3 }, origin);
    const [[seen] = []] = await byHttp(server.url, contract.own);
    expect(seen).toMatchObject(hidden);
    const [[audited] = []] = await byHttp(
      server.url,
      await other("inventory:read", "inventory:audit"),
    );
    expect(audited?.note).toBe("by the operator");
  });

  test("403 for a key with only the scope inventory:audit", async () => {
    const key = await contract.newKey({ scopes: ["inventory:audit"] });
    const reply = await contract.send("GET /v1/inventory/changes", { authorization: bearer(key) });
    expect(reply.status).toBe(403);
  });

  describe.each(watchProtocols)("watches by $name", (protocol) => {
    test("the same callers see it, in missed and in new changes", async () => {
      const stranger = await other("inventory:read", "inventory:write");
      const auditor = await contract.newAccount("dddddddddddd", { plan: "free" }, [
        "inventory:read",
        "inventory:audit",
      ]);
      await adjust(contract, "missed");
      const watches = [contract.own, auditor, stranger].map(({ secret }) =>
        startWatch(protocol, { url: server.url, secret, token: String(first) }),
      );
      await Promise.all(watches.map((watch) => watch.reached(first + 1n)));
      await adjust(contract, "new");
      await Promise.all(watches.map((watch) => watch.reached(first + 2n)));
      const [own, audited, strange] = watches.map(({ received }) =>
        received.flatMap(({ event }) => (event.case === "change" ? [event.value] : [])),
      );
      const shown = [
        { ...everyoneSees(13), ...shownTo(contract, "missed") },
        { ...everyoneSees(14), ...shownTo(contract, "new") },
      ];
      expect(own).toMatchObject(shown);
      expect(audited).toMatchObject(shown);
      expect(strange).toMatchObject([
        { ...everyoneSees(13), ...hidden },
        { ...everyoneSees(14), ...hidden },
      ]);
    });
  });
});
