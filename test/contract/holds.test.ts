import { type Client, Code, createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { HoldState, StoreService } from "../../gen/store/v1/store_pb.ts";
import { protocols } from "../../packages/connect-gateway/test/rpc/support.ts";
import { reasonOf } from "../../src/contract/errors.ts";
import { maxHolds } from "../../src/stores/hold-store.ts";
import {
  bearer,
  describeApi,
  expectError,
  failure,
  operator,
  ownAccount,
  type Reply,
  unknownPet,
} from "./support.ts";

const json = { "content-type": "application/json" };
const body = '{"items":[{"petId":1,"quantity":5}],"ttlSeconds":60}';

describeApi("holds over HTTP in $name", (contract) => {
  function put(holdId: string, text = body): Promise<Reply> {
    return contract.send(`PUT /v1/store/holds/${holdId}`, { headers: json, body: text });
  }

  function items(...pairs: readonly (readonly [petId: number, quantity: number])[]): string {
    return JSON.stringify({ items: pairs.map(([petId, quantity]) => ({ petId, quantity })) });
  }

  test("200 with the hold; its units are taken out of stock", async () => {
    const reply = await put("cart-7");
    expect(reply).toMatchObject({
      status: 200,
      body:
        '{"holdId":"cart-7","items":[{"petId":1,"quantity":5}],"state":"active",' +
        '"expiresAt":"2026-07-15T10:21:30.400Z","orderIds":[]}',
    });
    expect(await contract.quantityOf(1n)).toBe(7);
    expect((await contract.send("GET /v1/store/holds/cart-7")).body).toBe(reply.body);
    expect((await contract.send("GET /v1/store/holds")).body).toBe(`[${reply.body}]`);
  });

  test("200 with 900 s if the request does not say it", async () => {
    const { body: text } = await put("cart-7", items([1, 5]));
    expect(text).toContain('"expiresAt":"2026-07-15T10:35:30.400Z"');
  });

  test("200 for the same id, percent-encoded or not", async () => {
    await put("cart~7");
    await put("%63art%7E7");
    expect(await contract.quantityOf(1n)).toBe(7);
  });

  test("200 with the orders when it is confirmed, again with the same", async () => {
    await put("cart-7");
    const reply = await contract.send("POST /v1/store/holds/cart-7:confirm");
    expect(reply.status).toBe(200);
    const { state, orderIds } = JSON.parse(reply.body);
    expect({ state, orders: orderIds.length }).toEqual({ state: "confirmed", orders: 1 });
    const again = { headers: json, body: "{}" };
    expect((await contract.send("POST /v1/store/holds/cart-7:confirm", again)).body).toBe(
      reply.body,
    );
    expect((await contract.send("GET /v1/store/orders")).body).toBe(
      `[{"orderId":${orderIds[0]},"petId":1,"quantity":5,"status":"placed",` +
        '"placedAt":"2026-07-15T10:20:30.400Z","reference":"cart-7"}]',
    );
    expect(await contract.quantityOf(1n)).toBe(7);
  });

  test("200 when it is released, again without a change", async () => {
    await put("cart-7");
    const reply = await contract.send("DELETE /v1/store/holds/cart-7");
    expect(JSON.parse(reply.body)).toMatchObject({ state: "released", orderIds: [] });
    expect((await contract.send("DELETE /v1/store/holds/cart-7")).body).toBe(reply.body);
    expect(await contract.quantityOf(1n)).toBe(12);
  });

  test("409 for a hold that has ended", async () => {
    await put("expired");
    await put("confirmed", items([1, 1]));
    await contract.send("POST /v1/store/holds/confirmed:confirm");
    contract.server.clock.now += 60_000;
    for (const line of [
      "POST /v1/store/holds/expired:confirm",
      "DELETE /v1/store/holds/confirmed",
    ]) {
      const reply = await contract.send(line);
      expectError(
        reply,
        409,
        "failed_precondition",
        line.includes("expired") ? "has expired" : "is confirmed",
      );
      expect(reply.headers["x-error-reason"]).toBe("HOLD_ENDED");
    }
    expectError(await put("confirmed"), 409, "failed_precondition", "is confirmed");
    const released = await contract.send("DELETE /v1/store/holds/expired");
    expect(JSON.parse(released.body)).toMatchObject({ state: "expired" });
  });

  test("404 for an unknown hold, and for that of another account", async () => {
    await put("cart-7");
    const other = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    for (const line of [
      "GET /v1/store/holds/cart-7",
      "DELETE /v1/store/holds/cart-7",
      "POST /v1/store/holds/cart-7:confirm",
    ]) {
      const reply = await contract.send(line, { authorization: bearer(other) });
      expectError(reply, 404, "not_found", "cart-7", "HOLD_NOT_FOUND");
    }
    const { body: list } = await contract.send("GET /v1/store/holds", {
      authorization: bearer(other),
    });
    expect(list).toBe("[]");
    expect(await contract.quantityOf(1n)).toBe(7);
  });

  test("409 names every pet that lacks units, and its quantity; nothing changes", async () => {
    const reply = await put("cart-7", items([1, 13], [2, 1]));
    expectError(
      reply,
      409,
      "failed_precondition",
      "items[0].quantity: the stock of pet 1 is 12; items[1].quantity: the stock of pet 2 is 0",
    );
    expect(reply.headers["x-error-reason"]).toBe("STOCK_TOO_SMALL");
    expect((await contract.send("GET /v1/store/holds/cart-7")).status).toBe(404);
  });

  test("404 for an unknown pet if it is the first item that fails", async () => {
    const reply = await put("cart-7", items([1, 1], [unknownPet, 1], [2, 1]));
    expectError(reply, 404, "not_found", `items[1].petId: pet ${unknownPet}`, "PET_NOT_FOUND");
    expect(await contract.quantityOf(1n)).toBe(12);
  });

  test.each([".", "..", "%2e", "%2E.", "a b", "a%20b", "a%2Fb", "%C3%A4", "a:b", "a".repeat(65)])(
    "400 for the id %s",
    async (holdId) => {
      const reply = await put(holdId.replace(" ", "%20"));
      expectError(reply, 400, "invalid_argument", "holdId");
    },
  );

  test.each(["...", ".a", "..a", "a.", "~", "a".repeat(64)])(
    "200 for the id %s",
    async (holdId) => {
      expect(JSON.parse((await put(holdId)).body)).toMatchObject({ holdId });
    },
  );

  test("429 without Retry-After for more holds than an account may have", async () => {
    const { inventory, holds } = contract.server.stores;
    await inventory.change({ petId: 1n, quantity: 2 * maxHolds });
    await Promise.all(
      Array.from({ length: maxHolds }, (_, at) =>
        holds.put(ownAccount, `other-${at}`, {
          items: [{ petId: 1n, quantity: 1 }],
          ttlMs: 60_000,
        }),
      ),
    );
    const reply = await put("cart-7");
    expectError(reply, 429, "resource_exhausted", "1000 active holds", "HOLD_LIMIT_REACHED");
    expect(reply.headers["retry-after"]).toBeUndefined();
    contract.server.clock.now += 60_000;
    expect((await put("cart-7")).status).toBe(200);
  });

  describe("with many items", () => {
    const ids = Array.from({ length: 100 }, (_, at) => at + 1_000);
    const many = (count: number) => items(...ids.slice(0, count).map((id) => [id, 1] as const));
    const remaining = ({ headers }: Reply) => Number(headers["x-ratelimit-remaining"]);

    beforeEach(async () => {
      await contract.server.stores.catalog.put(
        ids.map((id) => ({ petId: BigInt(id), quantity: 100, status: PetStatus.AVAILABLE })),
      );
    });

    test.each([
      ["a new hold", [41], 3],
      ["a hold that grows", [1, 41], 3],
      ["a hold that shrinks", [100, 1], 5],
      ["a hold that stays", [20, 20], 1],
    ])("a PUT of %s counts as one request for every 20 items", async (_, counts, requests) => {
      const replies: Reply[] = [];
      for (const count of counts) replies.push(await put("cart-7", many(count)));
      expect(replies.map(({ status }) => status)).toEqual(counts.map(() => 200));
      const before = counts.length > 1 ? remaining(replies[0] as Reply) : 60;
      expect(remaining(replies.at(-1) as Reply)).toBe(before - requests);
    });

    test.each([
      ["confirmed", "POST /v1/store/holds/cart-7:confirm"],
      ["released", "DELETE /v1/store/holds/cart-7"],
    ])(
      "counts as one for every 20 items when it is %s, again, and when it has ended",
      async (_, line) => {
        expect(remaining(await put("cart-7", many(61)))).toBe(56);
        const first = await contract.send(line);
        expect([first.status, remaining(first)]).toEqual([200, 52]);
        const again = await contract.send(line);
        expect([again.status, remaining(again)]).toEqual([200, 48]);
        const isConfirmed = line.startsWith("POST");
        const other = isConfirmed
          ? await put("cart-7", many(1))
          : await contract.send("POST /v1/store/holds/cart-7:confirm");
        expectError(other, 409, "failed_precondition");
        expect(remaining(other)).toBe(44);
        expect(remaining(await contract.send("DELETE /v1/store/holds/unknown"))).toBe(43);
      },
    );

    test("counts as one for every 20 items when it has expired", async () => {
      await put("cart-7", many(21));
      contract.server.clock.now += 900_000;
      const refused = await contract.send("POST /v1/store/holds/cart-7:confirm");
      expectError(refused, 409, "failed_precondition", "has expired");
      expect(remaining(refused)).toBe(58);
      expect(remaining(await put("cart-7", many(1)))).toBe(56);
    });

    test.each([
      ["PUT", () => put("cart-7", many(30))],
      ["confirmation", () => contract.send("POST /v1/store/holds/cart-7:confirm")],
      ["release", () => contract.send("DELETE /v1/store/holds/cart-7")],
    ])("429 for a %s beyond the limit changes nothing and counts nothing", async (_, call) => {
      await put("cart-7", many(100));
      const before = (await contract.send("GET /v1/store/holds/cart-7")).body;
      await contract.spend(50);
      const refused = await call();
      expectError(refused, 429, "resource_exhausted", "The hold counts as 5 requests");
      expect(refused.headers["x-error-reason"]).toBe("RATE_LIMITED");
      // Each request waits until the minute of the first one is over.
      expect(refused.headers["retry-after"]).toBe("61");
      expect(remaining(refused)).toBe(4);
      const read = await contract.send("GET /v1/store/holds/cart-7");
      expect([read.body, remaining(read)]).toEqual([before, 3]);
      contract.server.clock.now += 61_000;
      expect((await call()).status).toBe(200);
    });

    test("429 says how large a hold may be, and not to split it, when the limit is reached", async () => {
      await put("cart-7", many(100));
      await contract.limitTo(4);
      contract.server.clock.now += 61_000;
      await contract.spend(4);
      const refused = await contract.send("DELETE /v1/store/holds/cart-7");
      const advice = "In 61 s a hold of up to 80 items fits. A larger one never does.";
      expectError(refused, 429, "resource_exhausted", advice);
    });

    test("429 without Retry-After for a hold that counts as more than the whole limit", async () => {
      await put("cart-7", many(100));
      await contract.limitTo(4);
      contract.server.clock.now += 61_000;
      const refused = await contract.send("POST /v1/store/holds/cart-7:confirm");
      expectError(refused, 429, "resource_exhausted", "Holds of up to 80 items fit");
      expect(refused.headers["x-error-reason"]).toBe("BATCH_OVER_LIMIT");
      expect(refused.headers["retry-after"]).toBeUndefined();
    });
  });

  test("lists by pet and state, page by page; a token belongs to its filters", async () => {
    for (const id of ["a", "b", "c"]) await put(id, items([1, 1]));
    await contract.send("DELETE /v1/store/holds/b");
    const ids = ({ body: text }: Reply) =>
      (JSON.parse(text) as { holdId: string }[]).map(({ holdId }) => holdId);
    expect(ids(await contract.send("GET /v1/store/holds"))).toEqual(["c", "a"]);
    expect(ids(await contract.send("GET /v1/store/holds?state=released"))).toEqual(["b"]);
    const both = "GET /v1/store/holds?state=active&state=released&petId=1&pageSize=2";
    const first = await contract.send(both);
    expect(ids(first)).toEqual(["c", "b"]);
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec(String(first.headers.link)) ?? [];
    const last = await contract.send(`GET ${next}`);
    expect(ids(last)).toEqual(["a"]);
    expect(last.headers.link).toBeUndefined();
    for (const [own, other] of [
      ["state=released", "state=expired"],
      ["petId=1", "petId=2"],
      ["petId=1&", ""],
    ] as const) {
      expect(next).toContain(own);
      const foreign = next.replace(own, other);
      expectError(await contract.send(`GET ${foreign}`), 400, "invalid_argument", "pageToken");
    }
    expect(ids(await contract.send("GET /v1/store/holds?petId=2"))).toEqual([]);
  });

  test("400 for the page token of another account, and of the list of all accounts", async () => {
    for (const id of ["a", "b", "c"]) await put(id, items([1, 1]));
    const list = "GET /v1/store/holds?pageSize=2";
    const { headers } = await contract.send(list);
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec(String(headers.link)) ?? [];
    expect(next).toContain("pageToken=");
    const other = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const foreign = await contract.send(`GET ${next}`, { authorization: bearer(other) });
    expectError(foreign, 400, "invalid_argument", "pageToken");
    const { admin } = await operator(contract);
    const all = await admin.listHolds({ pageSize: 2 });
    expect(all.nextPageToken).not.toBe("");
    const ofAll = await contract.send(`${list}&pageToken=${all.nextPageToken}`);
    expectError(ofAll, 400, "invalid_argument", "pageToken");
    const { nextPageToken: pageToken } = all;
    const ofOne = await failure(admin.listHolds({ pageSize: 2, pageToken, accountId: ownAccount }));
    expect(ofOne.code).toBe(Code.InvalidArgument);
  });

  test("operators read and release the holds of all accounts, and cannot remove their pets", async () => {
    const { admin, catalog } = await operator(contract);
    await put("cart-7");
    const { holds } = await admin.listHolds({});
    expect(holds).toMatchObject([{ accountId: ownAccount, hold: { holdId: "cart-7" } }]);
    expect((await admin.listHolds({ accountId: "bbbbbbbbbbbb" })).holds).toEqual([]);
    const error = await failure(catalog.removePet({ petId: 1n }));
    expect(reasonOf(error)).toBe("PET_HELD");
    const wanted = { accountId: ownAccount, holdId: "cart-7" };
    expect((await admin.getHold(wanted)).hold).toMatchObject({ state: HoldState.ACTIVE });
    expect((await admin.releaseHold(wanted)).hold).toMatchObject({ state: HoldState.RELEASED });
    expect(await contract.quantityOf(1n)).toBe(12);
    const { code } = await failure(admin.getHold({ ...wanted, holdId: "other" }));
    expect(code).toBe(Code.NotFound);
  });
});

describeApi("holds in $name", (contract) => {
  test.each(protocols)("do the same with %s", async (_, transport) => {
    const client: Client<typeof StoreService> = createClient(
      StoreService,
      transport(contract.server.url),
    );
    const options = { headers: { authorization: bearer(contract.own) } };
    const wanted = { holdId: "cart-7", items: [{ petId: 1n, quantity: 5 }] };
    const { hold } = await client.putHold(wanted, options);
    expect(hold).toMatchObject({ ...wanted, state: HoldState.ACTIVE, orderIds: [] });
    expect((await client.getHold({ holdId: "cart-7" }, options)).hold).toEqual(hold);
    expect((await client.listHolds({}, options)).holds).toEqual([hold]);
    const confirmed = await client.confirmHold({ holdId: "cart-7" }, options);
    expect(confirmed.hold?.orderIds).toHaveLength(1);
    const ended = await failure(client.releaseHold({ holdId: "cart-7" }, options));
    expect([ended.code, reasonOf(ended)]).toEqual([Code.FailedPrecondition, "HOLD_ENDED"]);
    const short = { holdId: "other", items: [{ petId: 1n, quantity: 8 }] };
    const error = await failure(client.putHold(short, options));
    expect([error.code, reasonOf(error)]).toEqual([Code.FailedPrecondition, "STOCK_TOO_SMALL"]);
    expect(error.rawMessage).toContain("items[0].quantity: the stock of pet 1 is 7");
    const invalid = await failure(client.putHold({ holdId: "..", items: [] }, options));
    expect(invalid.rawMessage).toContain("hold_id");
    const { items } = await createClient(
      InventoryService,
      transport(contract.server.url),
    ).listInventory({}, options);
    expect(items[0]).toMatchObject({ petId: 1n, quantity: 7 });
  });
});
