import { createClient } from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { overHttp2 } from "./http-clients.ts";
import { bearer, describeApi, expectError, ownAccount } from "./support.ts";
import { rpcTransports } from "./unary-protocols.ts";

const line = "GET /v1/inventory:levels";
const largeId = 9_007_199_254_740_993n;

describeApi(`${line} in $name`, (contract) => {
  /** Holds units of pets until a minute has passed. */
  async function hold(
    holdId: string,
    ...items: readonly (readonly [petId: bigint, units: number])[]
  ) {
    const outcome = await contract.server.stores.holds.put(ownAccount, holdId, {
      items: items.map(([petId, quantity]) => ({ petId, quantity })),
      ttlMs: 60_000,
    });
    expect(outcome.kind).toBe("held");
  }
  const one = (quantity: number, held: number) =>
    `[{"petId":1,"quantity":${quantity},"held":${held},"onHand":${quantity + held}}]`;
  const ofPet1 = async () => (await contract.send(`${line}?petIds=1`)).body;

  test("200 with what is for sale, held and on the shelf, in ascending order", async () => {
    await hold("cart-1", [1n, 4], [largeId, 7]);
    await hold("cart-2", [1n, 1]);
    const reply = await contract.send(line);
    expect(reply.status).toBe(200);
    expect(reply.body).toBe(
      '[{"petId":1,"quantity":7,"held":5,"onHand":12},' +
        '{"petId":2,"quantity":0,"held":0,"onHand":0},' +
        `{"petId":${largeId},"quantity":0,"held":7,"onHand":7}]`,
    );
    expect(reply.headers).not.toHaveProperty("link");
    const some = await contract.send(`${line}?petIds=${largeId}&petIds=404&petIds=2`);
    expect(some.body).toBe(
      '[{"petId":2,"quantity":0,"held":0,"onHand":0},' +
        `{"petId":${largeId},"quantity":0,"held":7,"onHand":7}]`,
    );
  });

  test("200 with the same levels by every protocol", async () => {
    await hold("cart-1", [1n, 4]);
    const headers = { authorization: bearer(contract.own) };
    for (const [name, makeTransport] of Object.entries(rpcTransports)) {
      const client = createClient(InventoryService, makeTransport(contract.server.url));
      const { levels } = await client.listStockLevels({ petIds: [2n, 1n] }, { headers });
      expect([name, levels]).toMatchObject([
        name,
        [
          { petId: 1n, quantity: 8, held: 4, onHand: 12 },
          { petId: 2n, quantity: 0, held: 0, onHand: 0 },
        ],
      ]);
    }
    const path = "/v1/inventory:levels?petIds=1";
    const { body } = await overHttp2(contract.server.url, "GET", path, headers);
    expect(body).toBe(one(8, 4));
  });

  test("200 page by page, with a link to the next one", async () => {
    const ids: number[] = [];
    let target: string | undefined = "/v1/inventory:levels?pageSize=2";
    while (target) {
      const { headers, body } = await contract.send(`GET ${target}`);
      ids.push(...[...body.matchAll(/"petId":(\d+)/g)].map(([, id]) => Number(id)));
      target = /^<(.+)>; rel="next"$/.exec(`${headers.link}`)?.[1];
    }
    expect(ids).toEqual([1, 2, Number(largeId)]);
    const rpc = "inventory.v1.InventoryService/ListStockLevels";
    const first = JSON.parse((await contract.call(rpc, { pageSize: 2 })).body);
    const { nextPageToken: pageToken } = first;
    const { body } = await contract.call(rpc, { pageToken });
    expect(JSON.parse(body)).toEqual({
      levels: [{ petId: `${largeId}`, quantity: 7, held: 0, onHand: 7 }],
    });
  });

  test("a due hold counts as ended, whether its units have returned or not", async () => {
    const { holds, inventory } = contract.server.stores;
    // The service itself returns no units in the meantime.
    const sweep = vi.spyOn(holds, "sweep").mockResolvedValue(0);
    await hold("cart-1", [1n, 4], [largeId, 7]);
    contract.server.clock.now += 59_999;
    expect(await ofPet1()).toBe(one(8, 4));
    contract.server.clock.now += 1;
    expect(await ofPet1()).toBe(one(12, 0));
    expect((await inventory.get(1n))?.quantity).toBe(8);
    sweep.mockRestore();
    await holds.sweep("a process");
    expect(await ofPet1()).toBe(one(12, 0));
  });

  test("the units of confirmed and released holds are not held", async () => {
    const { holds } = contract.server.stores;
    await hold("cart-1", [1n, 4]);
    await hold("cart-2", [1n, 3]);
    await holds.confirm(ownAccount, "cart-1");
    expect(await ofPet1()).toBe(one(5, 3));
    await holds.release(ownAccount, "cart-2");
    expect(await ofPet1()).toBe(one(8, 0));
  });

  test.each([
    ["petIds=1&pageSize=5", "pageSize: cannot be combined"],
    ["petIds=1&pageToken=bGV2ZWwgMQ", "pageToken: cannot be combined"],
    ["petIds=1&petIds=1", "petIds[1]: must be unique"],
    ["petIds=0", "petIds[0]: must be between 1"],
    [Array.from({ length: 101 }, (_, at) => `petIds=${at + 1}`).join("&"), "petIds: must have"],
    ["pageSize=1001", "pageSize: must be between 1 and 1000"],
    ["pageToken=cGV0IDE", "pageToken: must be next_page_token"],
    ["status=sold", "status: unknown query parameter"],
  ])("400 for %s", async (query, message) => {
    expectError(await contract.send(`${line}?${query}`), 400, "invalid_argument", message);
  });
});
