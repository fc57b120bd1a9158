import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { succeedHere } from "../cli/command-line.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useDirectory } from "../support/directory.ts";
import { useReadyStores, useRedis } from "../support/stores.ts";
import { contentsOf, versionsOf } from "./contents.ts";

const redis = useRedis("--appendonly", "no");
const directory = useDirectory();
const under = useReadyStores(redis, { history: { length: 60, ageMs: 1e12 } });
const stores = () => under.stores;
const accountIds = ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"] as const;

const file = () => join(directory, "backup.ndjson.gz");

const succeeding = (...args: string[]) => succeedHere(args, { redisUrl: redis.url });

type Operation = () => Promise<unknown>;

const aPet = fc.bigInt({ min: 1n, max: 12n });
const aQuantity = fc.nat(30);
const anAccount = fc.constantFrom(...accountIds);
/** The position of an order in {@link orderIds}. */
const anOrder = fc.nat(7);
const aHold = fc.constantFrom("cart", "~.");
const orderIds: bigint[] = [];
const idOf = (order: number) => orderIds[order] ?? 1n;
const anOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .uniqueArray(aPet, { minLength: 1, maxLength: 12 })
    .map(
      (pets) => () =>
        stores().catalog.put(
          pets.map((petId) => ({ petId, quantity: 20, status: PetStatus.AVAILABLE })),
        ),
    ),
  fc.tuple(aPet, aQuantity).map(
    ([pet, n]) =>
      () =>
        stores().inventory.change({ petId: pet, quantity: n }),
  ),
  aPet.map((pet) => () => stores().catalog.remove(pet)),
  fc
    .tuple(aPet, fc.constantFrom("", 'Rex, "the dog"', "Löwe 🦁"), fc.constantFrom("", "A", "B 1"))
    .map(
      ([pet, name, sku]) =>
        () =>
          stores().catalog.update(pet, { name, sku }),
    ),
  fc.tuple(anAccount, aPet).map(([account, pet]) => async () => {
    const outcome = await stores().orders.place(account, { petId: pet, quantity: 2 });
    if (outcome.kind === "placed") orderIds.push(outcome.order.orderId);
  }),
  fc.tuple(anAccount, anOrder).map(
    ([account, id]) =>
      () =>
        stores().orders.cancel(account, idOf(id)),
  ),
  fc.tuple(anAccount, anOrder).map(
    ([account, id]) =>
      () =>
        stores().orders.advance(account, idOf(id), OrderStatus.APPROVED),
  ),
  fc
    .tuple(
      anAccount,
      aHold,
      fc.uniqueArray(aPet, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(1, 60_000),
    )
    .map(([account, id, pets, ttlMs]) => {
      const items = pets.map((petId, at) => ({ petId, quantity: at + 1 }));
      return () => stores().holds.put(account, id, { items, ttlMs });
    }),
  fc.tuple(anAccount, aHold, fc.constantFrom("confirm", "release")).map(
    ([account, id, end]) =>
      () =>
        stores().holds[end](account, id),
  ),
  fc.constant(() => stores().holds.sweep("a process")),
  fc.tuple(anAccount, fc.string()).map(
    ([account, name]) =>
      () =>
        addKey(stores(), account, { name }),
  ),
);

test("a restored backup has the same contents, for any history", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anOperation, { maxLength: 40 }), async (operations) => {
      orderIds.length = 0;
      await redis.client.flushall();
      await redis.client.set("inv:format", 1);
      for (const accountId of accountIds) await addAccount(stores(), { plan: "pro" }, accountId);
      for (const operation of operations) await operation();
      const before = await contentsOf(redis.client);
      await succeeding("verify");
      await succeeding("backup", file());
      await succeeding("verify", file());
      const used = await versionsOf(redis.client);
      await redis.client.flushall();
      await succeeding("restore", file());
      expect(await contentsOf(redis.client)).toEqual(before);
      await succeeding("verify");
      const fresh = new Set(await versionsOf(redis.client));
      expect(used.filter((version) => fresh.has(version))).toEqual([]);
    }),
    { numRuns: 25 },
  );
}, 120_000);
