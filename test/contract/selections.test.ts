import { Code, createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { protocols } from "../../packages/connect-gateway/test/rpc/support.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";
import {
  connect,
  kindsOf,
  queryOf,
  type SelectionFields,
  startWatch,
  versionsOf,
  watchProtocols,
} from "../support/watch.ts";
import { until } from "../system/harness/until.ts";
import {
  bearer,
  describeApi,
  expectError,
  expectFailure,
  failure,
  nextLine,
  type Reply,
  useContract,
} from "./support.ts";

const { AVAILABLE, PENDING, SOLD } = PetStatus;
const line = "GET /v1/inventory";
const largePet = 9_007_199_254_740_993n;
const largest = 2_147_483_647;

/** The pets that belong to selections, of the pets 1 (12 available), 2 (0 sold), and a large id (7 pending). */
const selections: readonly (readonly [selection: SelectionFields, pets: readonly bigint[]])[] = [
  [{ status: AVAILABLE }, [1n]],
  [{ minQuantity: 7 }, [1n, largePet]],
  [{ maxQuantity: 7 }, [2n, largePet]],
  [{ minQuantity: 7, maxQuantity: 7 }, [largePet]],
  [{ maxQuantity: 0 }, [2n]],
  [{ petIds: [largePet, 5n, 1n] }, [1n, largePet]],
  [{ petIds: [1n, 2n], status: SOLD }, [2n]],
  [{ petIds: [1n, largePet], minQuantity: 8 }, [1n]],
  [{ status: PENDING, minQuantity: 8 }, []],
  [{ petIds: [404n] }, []],
  [{ minQuantity: 0, maxQuantity: largest }, [1n, 2n, largePet]],
];

function petsOf({ body }: Reply): bigint[] {
  return [...body.matchAll(/"petId":(\d+)/g)].map(([, petId = ""]) => BigInt(petId));
}

describeApi("lists with a selection, in $name", (contract) => {
  const { server } = contract;
  const list = (query: string) => contract.send(`${line}?${query}`);

  test.each(selections)("JSON over HTTP has the items of %o", async (selection, pets) => {
    const reply = await list(queryOf(selection));
    expect(reply.status).toBe(200);
    expect(petsOf(reply)).toEqual(pets);
    expect(reply.headers.etag).toBe(`"${nthVersion(3)}"`);
    // The second response is the cached one.
    expect((await list(queryOf(selection))).body).toBe(reply.body);
  });

  describe.each(protocols)("%s", (_, open) => {
    test("has the items of each selection", async () => {
      const client = createClient(InventoryService, open(server.url));
      const headers = { authorization: bearer(contract.own) };
      for (const [selection, pets] of selections) {
        const { items, version } = await client.listInventory(selection, { headers });
        expect(items.map(({ petId }) => petId)).toEqual(pets);
        expect(version).toBe(nthVersion(3));
      }
    });
  });

  test("has every acknowledged change", async () => {
    const ofStatus = queryOf({ status: SOLD });
    expect(petsOf(await list(ofStatus))).toEqual([2n]);
    await server.stores.catalog.update(1n, { status: SOLD });
    expect(petsOf(await list(ofStatus))).toEqual([1n, 2n]);
    await contract.send("PATCH /v1/inventory/2", { body: '{"quantity":41}' });
    expect((await list(ofStatus)).body).toContain('{"petId":2,"quantity":41,"status":"sold"}');
    await server.stores.catalog.remove(1n);
    expect(petsOf(await list(ofStatus))).toEqual([2n]);
  });

  test("304 until the stock changes, even if the selected items do not", async () => {
    const query = queryOf({ petIds: [1n] });
    const { headers } = await list(query);
    const again = () =>
      contract.send(`${line}?${query}`, { headers: { "if-none-match": headers.etag } });
    expect((await again()).status).toBe(304);
    await server.stores.inventory.change({ petId: 2n, quantity: 5 });
    expect((await again()).status).toBe(200);
  });

  test.each([
    ["minQuantity=3&maxQuantity=2", "minQuantity: must not be above the largest quantity"],
    ["minQuantity=-1", "minQuantity"],
    ["maxQuantity=2147483648", "maxQuantity"],
    ["status=gone", "status"],
    ["petIds=1&petIds=2&petIds=1", "petIds[2]: must be unique"],
    ["petIds=0", "petIds"],
    [queryOf({ petIds: Array.from({ length: 101 }, (_, n) => BigInt(n + 1)) }), "petIds"],
  ])("400 names the field of %s, in lists and watches", async (query, name) => {
    expectError(await list(query), 400, "invalid_argument", name);
    const watch = await contract.send(`GET /v1/inventory:watch?${query}`);
    expectError(watch, 400, "invalid_argument", name);
  });

  test("accepts 100 pets", async () => {
    const petIds = Array.from({ length: 100 }, (_, n) => BigInt(100 - n));
    expect(petsOf(await list(queryOf({ petIds })))).toEqual([1n, 2n]);
  });

  describe("in pages", () => {
    const sold = { status: SOLD };
    const many = Array.from({ length: 60 }, (_, n) => ({
      petId: BigInt(n + 10),
      quantity: n,
      status: n % 3 === 0 ? SOLD : AVAILABLE,
    }));
    const soldPets = [
      2n,
      ...many.filter(({ status }) => status === SOLD).map((item) => item.petId),
    ];

    test("has each selected item once, while others change", async () => {
      await server.stores.catalog.put(many);
      const found: bigint[] = [];
      let target: string | undefined = `${line}?${queryOf(sold)}&pageSize=4`;
      for (let page = 0; target; page += 1) {
        const reply: Reply = await contract.send(target);
        expect(petsOf(reply)).toHaveLength(page < 5 ? 4 : 1);
        found.push(...petsOf(reply));
        await server.stores.catalog.remove(BigInt(11 + 3 * page));
        await server.stores.catalog.create({
          petId: BigInt(200 + page),
          quantity: 1,
          status: AVAILABLE,
        });
        target = nextLine(reply);
      }
      expect(found).toEqual(soldPets);
    });

    test("a selection of pets has pages too", async () => {
      await server.stores.catalog.put(many);
      const first = await list(`${queryOf({ petIds: [30n, 12n, 11n, 404n] })}&pageSize=2`);
      expect(petsOf(first)).toEqual([11n, 12n]);
      const second = await contract.send(nextLine(first) ?? "");
      expect(petsOf(second)).toEqual([30n]);
      expect(nextLine(second)).toBeUndefined();
    });

    test("400 names the token with another selection, or without one", async () => {
      await server.stores.catalog.put(many);
      const client = contract.client(InventoryService, contract.own);
      const { nextPageToken: pageToken } = await client.listInventory({ ...sold, pageSize: 1 });
      const { nextPageToken: ofAll } = await client.listInventory({ pageSize: 1 });
      expect((await client.listInventory({ ...sold, pageToken })).items[0]?.petId).toBe(10n);
      for (const request of [
        { pageToken },
        { pageToken, status: AVAILABLE },
        { pageToken, ...sold, minQuantity: 1 },
        { pageToken, ...sold, petIds: [1n] },
        { pageToken: ofAll, ...sold },
      ]) {
        const call = client.listInventory(request);
        await expectFailure(call, Code.InvalidArgument, "page_token: belongs to another selection");
      }
      const reply = await list(`status=pending&pageToken=${pageToken}`);
      expectError(reply, 400, "invalid_argument", "pageToken: belongs to another selection");
    });

    test("the token does not depend on the order of the pets", async () => {
      const client = contract.client(InventoryService, contract.own);
      const page = await client.listInventory({ petIds: [2n, 1n], pageSize: 1 });
      const pageToken = page.nextPageToken;
      const { items } = await client.listInventory({ petIds: [1n, 2n], pageToken });
      expect(items.map(({ petId }) => petId)).toEqual([2n]);
    });

    test("items on RPC have the fields of a mask, which needs pages", async () => {
      const client = contract.client(InventoryService, contract.own);
      const masked = { ...sold, readMask: { paths: ["quantity"] } };
      const { items } = await client.listInventory({ ...masked, pageSize: 1 });
      expect(items).toMatchObject([{ petId: 2n, quantity: 0, status: PetStatus.UNSPECIFIED }]);
      const whole = await client.listInventory({ ...sold, pageSize: 1 });
      expect(whole.items).toMatchObject([{ petId: 2n, quantity: 0, status: SOLD }]);
      expect((await failure(client.listInventory(masked))).rawMessage).toContain(
        "read_mask: needs page_size",
      );
    });
  });

  test("a long selection is sent whole, and again after a change", async () => {
    const items = Array.from({ length: 6_000 }, (_, n) => ({
      petId: BigInt(n + 10),
      quantity: n,
      status: PENDING,
    }));
    for (let at = 0; at < items.length; at += 1_000) {
      await server.stores.catalog.put(items.slice(at, at + 1_000));
    }
    const pets = [...items.map(({ petId }) => petId), largePet];
    for (const encoding of ["identity", "gzip"]) {
      const headers = { "accept-encoding": encoding };
      const reply = await contract.send(`${line}?status=pending`, { headers });
      expect(reply.headers["content-encoding"]).toBe(encoding === "gzip" ? "gzip" : undefined);
      if (encoding === "identity") expect(petsOf(reply)).toEqual(pets);
    }
    const client = contract.client(InventoryService, contract.own);
    await server.stores.catalog.update(10n, { status: SOLD });
    const after = await client.listInventory({ status: PENDING });
    expect(after.items.map(({ petId }) => petId)).toEqual(pets.slice(1));
  });
});

describe.each(storeKinds)("watches with a selection, in $name", (kind) => {
  const contract = useContract(kind, { WATCH_HEARTBEAT_MS: "100" });
  const { server } = contract;
  const request = (selection: SelectionFields, token = "") => ({
    url: server.url,
    secret: contract.own.secret,
    token,
    selection,
  });
  const version = nthVersion;

  test.each(watchProtocols)("$name has the changes of selected items only", async (protocol) => {
    const { catalog, inventory } = server.stores;
    const watch = startWatch(protocol, request({ status: AVAILABLE, minQuantity: 5 }));
    await watch.reached(version(3));
    expect(kindsOf(watch.received)).toEqual(["snapshot", "ready"]);
    const [snapshot] = watch.received;
    expect(snapshot?.event.value).toMatchObject({ items: [{ petId: 1n }], removedPetIds: [] });
    await inventory.change({ petId: 2n, quantity: 9 });
    await catalog.update(2n, { status: AVAILABLE });
    await inventory.change({ petId: 2n, quantity: 4 });
    await inventory.change({ petId: 2n, quantity: 3 });
    await catalog.update(1n, { status: PENDING });
    await catalog.update(1n, { status: SOLD });
    await catalog.create({ petId: 3n, quantity: 5, status: AVAILABLE });
    await catalog.remove(3n);
    await catalog.remove(1n);
    await watch.reached(version(12));
    expect(versionsOf(watch.received)).toEqual([5, 6, 8, 10, 11].map(version));
  });

  test("a resume token is not bound to a selection", async () => {
    const { inventory } = server.stores;
    for (const quantity of [1, 2, 3]) await inventory.change({ petId: 1n, quantity });
    await inventory.change({ petId: 2n, quantity: 3 });
    for (const protocol of watchProtocols) {
      const watch = startWatch(protocol, request({ petIds: [2n] }, String(version(4))));
      await until("ready", () => kindsOf(watch.received).includes("ready"));
      expect(versionsOf(watch.received)).toEqual([version(7)]);
      expect(kindsOf(watch.received)).toEqual(["change", "ready"]);
    }
  });

  test("heartbeats advance the token past changes that are left out", async () => {
    const watch = startWatch(connect, request({ petIds: [404n] }));
    await watch.reached(version(3));
    expect(kindsOf(watch.received)).toEqual(["ready"]);
    await server.stores.inventory.change({ petId: 1n, quantity: 1 });
    await server.stores.inventory.change({ petId: 1n, quantity: 2 });
    await watch.reached(version(5));
    expect(watch.received.at(-1)?.event.case).toBe("heartbeat");
    expect(versionsOf(watch.received)).toEqual([]);
  });

  test("a selection of many items arrives in parts of at most 500", async () => {
    const items = Array.from({ length: 1_200 }, (_, n) => ({
      petId: BigInt(n + 10),
      quantity: n,
      status: n % 12 === 0 ? SOLD : PENDING,
    }));
    await server.stores.catalog.put(items);
    const watch = startWatch(connect, request({ status: PENDING }));
    await until("ready", () => kindsOf(watch.received).includes("ready"));
    const parts = watch.received.flatMap(({ event }) =>
      event.case === "snapshot" ? [event.value.items] : [],
    );
    expect(parts.map((part) => part.length)).toEqual([500, 500, 101]);
    expect(parts.flat().map(({ petId }) => petId)).toEqual([
      ...items.filter(({ status }) => status === PENDING).map(({ petId }) => petId),
      largePet,
    ]);
  });
});
