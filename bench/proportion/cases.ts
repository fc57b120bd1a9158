import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { AdminService, AuditEntryKind, Plan, WritePolicy } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { ChangeReason, InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { HoldState, OrderStatus, StoreService } from "../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { newAccountId } from "../../src/access/api-key.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { addKey } from "../../test/support/accounts.ts";
import { accountId, batchedPet, longName, note, reference, type Stage, somePets } from "./stage.ts";

/** Calls whose cost is measured. */
export interface Work {
  call(): Promise<unknown>;
  /** Makes what so many calls need. It is not measured. */
  prepare?(count: number): Promise<void>;
  /** How many times as many calls are measured as of others, for cheap calls. */
  readonly times?: number;
}

/** How to make the calls with an input, or why they are not bounded. */
type MakeWork = ((stage: Stage) => Work | Promise<Work>) | string;

/** The most expensive calls of each method, by their inputs. */
type Cases = Readonly<Record<string, Readonly<Record<string, MakeWork>>>>;

const inventory = InventoryService.method;
const store = StoreService.method;
const admin = AdminService.method;
const catalog = CatalogService.method;

const pet = 600;
const [onePet = 0n] = somePets(1, pet);
const origin = { reason: ChangeReason.RETURN, note, reference };
const unknownPet = 9_223_372_036_854_775_807n;
const ended = [HoldState.CONFIRMED, HoldState.RELEASED, HoldState.EXPIRED];
const everyState = [HoldState.ACTIVE, ...ended];
const holdItems = (count: number, from: number) =>
  somePets(count, from).map((petId) => ({ petId, quantity: 1 }));

/** Things that calls use up: each call takes one. */
function supply<T>(make: () => Promise<T>): { prepare(count: number): Promise<void>; next(): T } {
  const ready: T[] = [];
  return {
    async prepare(count) {
      while (ready.length < count) ready.push(await make());
    },
    next() {
      const [first] = ready.splice(0, 1);
      if (first === undefined) throw new Error("the supply of a case is used up");
      return first;
    },
  };
}

const keyed = ({ newNumber }: Stage) => `key-${newNumber()}-${"k".repeat(200)}`;

function batchUpdate(count: number): MakeWork {
  return (stage) => ({
    call: () =>
      stage.call(inventory.batchUpdateInventory, {
        ...origin,
        updates: somePets(count, 1_000).map((petId) => ({
          petId,
          quantity: 1_000_000_000 + stage.newNumber(),
        })),
        idempotencyKey: keyed(stage),
      }),
  });
}

function batchAdjust(count: number): MakeWork {
  return (stage) => ({
    call: () =>
      stage.call(inventory.batchAdjustInventory, {
        ...origin,
        adjustments: somePets(count, 1_000).map((petId) => ({ petId, delta: 1 })),
        idempotencyKey: keyed(stage),
      }),
  });
}

/** No pet has more held units than are counted. */
function count(pets: number): MakeWork {
  return (stage) => ({
    call: () =>
      stage.call(inventory.countInventory, {
        ...{ note, reference },
        counts: somePets(pets, 1_000).map((petId) => ({ petId, counted: stage.newNumber() })),
        idempotencyKey: keyed(stage),
      }),
  });
}

/** Each call replaces all pets of a hold by others. */
function putHold(count: number): MakeWork {
  return (stage) => ({
    call: () =>
      stage.call(store.putHold, {
        holdId: `put-${count}`,
        items: holdItems(count, 3_000 + 100 * (stage.newNumber() % 2)),
        ttlSeconds: 86_400,
      }),
  });
}

/** Holds that a call ends. */
function someHolds({ stores, newNumber }: Stage, count: number) {
  return supply(async () => {
    const holdId = `end-${newNumber()}`;
    await stores.holds.put(accountId, holdId, {
      items: holdItems(count, 4_000),
      ttlMs: 86_400_000,
    });
    return holdId;
  });
}

function confirmHold(count: number): MakeWork {
  return (stage) => {
    const { prepare, next } = someHolds(stage, count);
    return { prepare, call: () => stage.call(store.confirmHold, { holdId: next() }) };
  };
}

function releaseHold(count: number): MakeWork {
  return (stage) => {
    const { prepare, next } = someHolds(stage, count);
    return { prepare, call: () => stage.call(store.releaseHold, { holdId: next() }) };
  };
}

function someOrders({ stores }: Stage) {
  return supply(async () => {
    const outcome = await stores.orders.place(accountId, { petId: onePet, quantity: 1 });
    if (outcome.kind !== "placed") throw new Error("an order was not placed");
    return outcome.order.orderId;
  });
}

function someAccounts({ stores }: Stage) {
  return supply(async () => {
    const id = newAccountId();
    await stores.accounts.createAccount(id, longName, { plan: "free" });
    return id;
  });
}

/** Why calls are not bounded that read all keys of an account. */
const ofManyKeys = "grows with the keys of an account, which only operators create";

/** Calls a method with the same request again and again. */
function same<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): MakeWork {
  return (stage) => ({ call: () => stage.call(method, request) });
}

/** Each call has an account of its own. */
function ofAccount(call: (stage: Stage, accountId: string) => Promise<unknown>): MakeWork {
  return (stage) => {
    const { prepare, next } = someAccounts(stage);
    return { prepare, call: () => call(stage, next()) };
  };
}

/** Each call has a key of its own. */
function ofKey(call: (stage: Stage, keyId: string) => Promise<unknown>): MakeWork {
  return (stage) => {
    const { prepare, next } = supply(async () => {
      const id = newAccountId();
      await stage.stores.accounts.createAccount(id, longName, { plan: "free" });
      return (await addKey(stage.stores, id, { name: longName })).keyId;
    });
    return { prepare, call: () => call(stage, next()) };
  };
}

export const cases: Cases = {
  "inventory.v1.InventoryService/ListInventory": {
    "the whole list": "is served from memory, and grows with the stock",
    "a page of 1,000": same(inventory.listInventory, { pageSize: 1_000 }),
    "a page of a selection that matches nothing": same(inventory.listInventory, {
      pageSize: 1_000,
      status: PetStatus.SOLD,
    }),
  },
  "inventory.v1.InventoryService/GetInventoryItem": {
    "": same(inventory.getInventoryItem, { petId: onePet }),
  },
  "inventory.v1.InventoryService/ListStockLevels": {
    "a page of 1,000": same(inventory.listStockLevels, { pageSize: 1_000 }),
  },
  "inventory.v1.InventoryService/UpdateInventory": {
    "": (stage) => ({
      call: () =>
        stage.call(inventory.updateInventory, {
          ...origin,
          petId: onePet,
          update: { quantity: stage.newNumber() },
          idempotencyKey: keyed(stage),
        }),
    }),
  },
  "inventory.v1.InventoryService/AdjustInventory": {
    "": (stage) => ({
      call: () =>
        stage.call(inventory.adjustInventory, {
          ...origin,
          petId: onePet,
          delta: 1,
          idempotencyKey: keyed(stage),
        }),
    }),
  },
  "inventory.v1.InventoryService/BatchUpdateInventory": {
    "20 items": batchUpdate(20),
    "1,000 items": batchUpdate(1_000),
  },
  "inventory.v1.InventoryService/BatchAdjustInventory": {
    "20 items": batchAdjust(20),
    "1,000 items": batchAdjust(1_000),
  },
  "inventory.v1.InventoryService/CountInventory": {
    "20 items": count(20),
    "1,000 items": count(1_000),
  },
  "inventory.v1.InventoryService/ListInventoryChanges": {
    "200 changes with the longest notes": async (stage) => {
      for (let at = 0; at < 200; at += 1) {
        await stage.stores.inventory.adjust(onePet, 1, {
          origin: { ...unknownOrigin, ...origin, accountId },
        });
      }
      return { call: () => stage.call(inventory.listInventoryChanges, { pageSize: 200 }) };
    },
  },
  "inventory.v1.InventoryService/ListItemChanges": {
    "200 changes with the longest notes": same(inventory.listItemChanges, {
      petId: onePet,
      pageSize: 200,
    }),
    "200 changes of batches with the longest notes": same(inventory.listItemChanges, {
      petId: batchedPet,
      pageSize: 200,
    }),
  },
  "inventory.v1.InventoryService/WatchInventory": {
    "": "is a stream: it costs what it sends, and an account has a bounded number of them",
  },
  "store.v1.StoreService/PlaceOrder": {
    "": (stage) => ({
      call: () =>
        stage.call(store.placeOrder, {
          petId: onePet,
          quantity: 1,
          idempotencyKey: keyed(stage),
        }),
    }),
  },
  "store.v1.StoreService/CancelOrder": {
    "": (stage) => {
      const { prepare, next } = someOrders(stage);
      return { prepare, call: () => stage.call(store.cancelOrder, { orderId: next() }) };
    },
  },
  "store.v1.StoreService/ListOrders": {
    "a page of 1,000": same(store.listOrders, { pageSize: 1_000 }),
    "a reference that no order has": same(store.listOrders, { reference: "none" }),
  },
  "store.v1.StoreService/GetOrder": {
    "": async (stage) => {
      const { prepare, next } = someOrders(stage);
      await prepare(1);
      const orderId = next();
      return { call: () => stage.call(store.getOrder, { orderId }) };
    },
  },
  "store.v1.StoreService/PutHold": {
    "20 items in place of 20 others": putHold(20),
    "100 items in place of 100 others": putHold(100),
  },
  "store.v1.StoreService/ConfirmHold": {
    "20 items": confirmHold(20),
    "100 items": confirmHold(100),
  },
  "store.v1.StoreService/ReleaseHold": {
    "20 items": releaseHold(20),
    "100 items": releaseHold(100),
  },
  "store.v1.StoreService/GetHold": {
    "100 items": async (stage) => {
      await stage.stores.holds.put(accountId, "read", {
        items: holdItems(100, 4_000),
        ttlMs: 86_400_000,
      });
      return { call: () => stage.call(store.getHold, { holdId: "read" }) };
    },
  },
  "store.v1.StoreService/ListHolds": {
    "200 holds of 100 items": same(store.listHolds, { pageSize: 200, state: everyState }),
    "an active pet that no hold has": same(store.listHolds, { pageSize: 200, petId: unknownPet }),
    "an ended pet that no hold has": same(store.listHolds, {
      pageSize: 200,
      petId: unknownPet,
      state: ended,
    }),
    "a state that few holds have": same(store.listHolds, {
      pageSize: 200,
      state: [HoldState.EXPIRED],
    }),
    "a pet that all holds have": same(store.listHolds, {
      pageSize: 200,
      petId: somePets(1, 299)[0],
      state: everyState,
    }),
  },
  "catalog.v1.CatalogService/ListPets": {
    "the whole catalogue": "is served from memory, and grows with the catalogue",
    "the largest page": same(catalog.listPets, { pageSize: 1_000 }),
  },
  "catalog.v1.CatalogService/GetPet": { "": same(catalog.getPet, { petId: onePet }) },
  "catalog.v1.CatalogService/CreatePet": {
    "": (stage) => ({
      call: () =>
        stage.call(catalog.createPet, {
          petId: BigInt(stage.newNumber()),
          quantity: 1_000_000_000,
        }),
    }),
  },
  "catalog.v1.CatalogService/UpdatePet": {
    "": (stage) => ({
      call: () =>
        stage.call(catalog.updatePet, {
          petId: onePet,
          status: stage.newNumber() % 2 === 0 ? PetStatus.PENDING : PetStatus.AVAILABLE,
        }),
    }),
  },
  "catalog.v1.CatalogService/RemovePet": {
    "": (stage) => {
      const { prepare, next } = supply(async () => {
        const petId = BigInt(stage.newNumber());
        await stage.stores.catalog.create({ petId, quantity: 1, status: PetStatus.AVAILABLE });
        return petId;
      });
      return { prepare, call: () => stage.call(catalog.removePet, { petId: next() }) };
    },
  },
  "catalog.v1.CatalogService/ImportPets": {
    "": "is a stream, whose messages are counted one by one",
  },
  "pets.v1.PetService/GetPet": { "": same(PetService.method.getPet, { petId: onePet }) },
  "usage.v1.UsageService/GetUsage": {
    "90 keys": same(UsageService.method.getUsage, {}),
    "more keys": ofManyKeys,
  },

  "admin.v1.AdminService/CreateAccount": {
    "": same(admin.createAccount, { name: longName, plan: Plan.FREE }),
  },
  "admin.v1.AdminService/GetAccount": { "": same(admin.getAccount, { accountId }) },
  "admin.v1.AdminService/ListAccounts": {
    "the largest page": same(admin.listAccounts, { pageSize: 1_000 }),
    "100 ids": async (stage) => {
      const { accounts } = await stage.stores.accounts.listAccounts(undefined, 100);
      const accountIds = accounts.map((account) => account.accountId);
      return { call: () => stage.call(admin.listAccounts, { accountIds }) };
    },
  },
  "admin.v1.AdminService/SetPlan": {
    "": ofAccount((stage, id) => stage.call(admin.setPlan, { accountId: id, plan: Plan.PRO })),
  },
  "admin.v1.AdminService/SetWritePolicy": {
    "": ofAccount((stage, id) =>
      stage.call(admin.setWritePolicy, { accountId: id, writePolicy: WritePolicy.STRICT }),
    ),
  },
  "admin.v1.AdminService/RenameAccount": {
    "": ofAccount((stage, id) =>
      stage.call(admin.renameAccount, { accountId: id, name: longName }),
    ),
  },
  "admin.v1.AdminService/DisableAccount": {
    "": ofAccount((stage, id) => stage.call(admin.disableAccount, { accountId: id })),
  },
  "admin.v1.AdminService/EnableAccount": {
    "": ofAccount((stage, id) => stage.call(admin.enableAccount, { accountId: id })),
  },
  "admin.v1.AdminService/DeleteAccount": {
    "": ofAccount((stage, id) => stage.call(admin.deleteAccount, { accountId: id })),
    "with orders and holds": "deletes what other calls have paid for, in steps",
  },
  "admin.v1.AdminService/GetAccountUsage": {
    "90 keys": same(admin.getAccountUsage, { accountId }),
    "more keys": ofManyKeys,
  },
  "admin.v1.AdminService/ListTopAccounts": {
    "50 accounts": async (stage) => {
      const minute = Math.floor(Date.now() / 60_000);
      const { accounts } = await stage.stores.accounts.listAccounts(undefined, 100);
      const counts = accounts.map(({ accountId: id }) => ({
        ...{ accountId: id, keyId: `${id}00000000`, minute },
        ...{ admitted: 1, limited: 1, banned: 1 },
      }));
      await stage.stores.usage.add({ counts, bans: [] });
      return { call: () => stage.call(admin.listTopAccounts, { pageSize: 50 }) };
    },
  },
  "admin.v1.AdminService/CreateKey": {
    "": (stage) => {
      const { prepare, next } = someAccounts(stage);
      const allowedAddresses = Array.from({ length: 20 }, (_, at) => `2001:db8::${at + 1}`);
      const call = () =>
        stage.call(admin.createKey, { accountId: next(), name: longName, allowedAddresses });
      return { prepare, call };
    },
  },
  "admin.v1.AdminService/ListKeys": {
    "90 keys": same(admin.listKeys, { accountId }),
    "more keys": ofManyKeys,
  },
  "admin.v1.AdminService/ListAllKeys": {
    "the largest page": same(admin.listAllKeys, { pageSize: 1_000 }),
    "accounts with more keys": ofManyKeys,
  },
  "admin.v1.AdminService/ListBans": {
    "the largest page": same(admin.listBans, { pageSize: 1_000 }),
  },
  "admin.v1.AdminService/RevokeKey": {
    "": ofKey((stage, keyId) => stage.call(admin.revokeKey, { keyId })),
  },
  "admin.v1.AdminService/RotateKey": {
    "": ofKey((stage, keyId) => stage.call(admin.rotateKey, { keyId })),
  },
  "admin.v1.AdminService/UnbanKey": {
    "": (stage) => ({
      call: () => stage.call(admin.unbanKey, { keyId: stage.keys[5]?.keyId ?? "" }),
    }),
  },
  "admin.v1.AdminService/ListOrders": {
    "the largest page of one account": same(admin.listOrders, { pageSize: 1_000, accountId }),
    "the largest page of all accounts": same(admin.listOrders, { pageSize: 1_000 }),
    "a status that no order has": same(admin.listOrders, {
      pageSize: 1_000,
      status: OrderStatus.DELIVERED,
    }),
    "a status that no order of an account has": same(admin.listOrders, {
      ...{ pageSize: 1, accountId },
      status: OrderStatus.DELIVERED,
    }),
  },
  "admin.v1.AdminService/ListHolds": {
    "200 holds of 100 items": same(admin.listHolds, { pageSize: 200, state: everyState }),
    "an active pet that no hold has": same(admin.listHolds, { pageSize: 200, petId: unknownPet }),
    "an ended pet that no hold has": same(admin.listHolds, {
      pageSize: 200,
      petId: unknownPet,
      state: ended,
    }),
  },
  "admin.v1.AdminService/GetHold": {
    "100 items": async (stage) => {
      await stage.stores.holds.put(accountId, "read", {
        items: holdItems(100, 4_000),
        ttlMs: 86_400_000,
      });
      return { call: () => stage.call(admin.getHold, { accountId, holdId: "read" }) };
    },
  },
  "admin.v1.AdminService/ReleaseHold": {
    "100 items": (stage) => {
      const { prepare, next } = someHolds(stage, 100);
      return { prepare, call: () => stage.call(admin.releaseHold, { accountId, holdId: next() }) };
    },
  },
  "admin.v1.AdminService/CancelOrder": {
    "": (stage) => {
      const { prepare, next } = someOrders(stage);
      return { prepare, call: () => stage.call(admin.cancelOrder, { accountId, orderId: next() }) };
    },
  },
  "admin.v1.AdminService/AdvanceOrder": {
    "": (stage) => {
      const { prepare, next } = someOrders(stage);
      const status = OrderStatus.APPROVED;
      return {
        prepare,
        call: () => stage.call(admin.advanceOrder, { accountId, orderId: next(), status }),
      };
    },
  },
  "admin.v1.AdminService/ListAuditEntries": {
    "a page of 100": same(admin.listAuditEntries, { pageSize: 100 }),
    "100 entries after one": same(admin.listAuditEntries, { pageSize: 100, afterSequence: 1n }),
    "an actor without entries": same(admin.listAuditEntries, { pageSize: 100, actor: "nobody" }),
    "a kind without entries, long ago": same(admin.listAuditEntries, {
      pageSize: 100,
      kind: [AuditEntryKind.REFUSED],
      startTime: { seconds: 1n },
    }),
  },
};
