import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import type { TestKey } from "../support/accounts.ts";
import { ownAccount } from "./support.ts";

/** An account that rows of the tables change. */
export const otherAccount = "bbbbbbbbbbbb";

/** What a row can refer to. */
export interface Given {
  readonly orderId: string;
  readonly otherKey: TestKey;
}

export type Message = (given: Given) => unknown;

const pet = { petId: "1", quantity: 3 };

/** Methods that go on when Redis is full, and a request of each. */
export const goesOn: Readonly<Record<string, Message>> = {
  GetAccount: () => ({ accountId: otherAccount }),
  ListAccounts: () => ({}),
  SetPlan: () => ({ accountId: otherAccount, plan: "PLAN_PRO" }),
  SetWritePolicy: () => ({ accountId: otherAccount, writePolicy: "WRITE_POLICY_STRICT" }),
  DisableAccount: () => ({ accountId: otherAccount }),
  EnableAccount: () => ({ accountId: otherAccount }),
  DeleteAccount: () => ({ accountId: otherAccount }),
  GetAccountUsage: () => ({ accountId: otherAccount }),
  ListTopAccounts: () => ({}),
  ListKeys: () => ({ accountId: otherAccount }),
  ListAllKeys: () => ({}),
  ListBans: () => ({}),
  RevokeKey: ({ otherKey }) => ({ keyId: otherKey.keyId }),
  UnbanKey: ({ otherKey }) => ({ keyId: otherKey.keyId }),
  RemoveItem: () => ({ petId: "2" }),
  "admin.v1.AdminService/ListOrders": () => ({}),
  "admin.v1.AdminService/ListHolds": () => ({}),
  "admin.v1.AdminService/GetHold": () => ({ accountId: ownAccount, holdId: "cart" }),
  "admin.v1.AdminService/ReleaseHold": () => ({ accountId: ownAccount, holdId: "cart" }),
  "admin.v1.AdminService/CancelOrder": ({ orderId }) => ({ accountId: ownAccount, orderId }),
  AdvanceOrder: ({ orderId }) => ({
    accountId: ownAccount,
    orderId,
    status: "ORDER_STATUS_APPROVED",
  }),
  ListAuditEntries: () => ({}),
  ListInventory: () => ({}),
  GetInventoryItem: () => ({ petId: "1" }),
  ListInventoryChanges: () => ({}),
  ListItemChanges: () => ({ petId: "1" }),
  GetPet: () => ({ petId: "1" }),
  "store.v1.StoreService/CancelOrder": ({ orderId }) => ({ orderId }),
  "store.v1.StoreService/ListOrders": () => ({}),
  GetOrder: ({ orderId }) => ({ orderId }),
  "store.v1.StoreService/ReleaseHold": () => ({ holdId: "cart" }),
  "store.v1.StoreService/GetHold": () => ({ holdId: "cart" }),
  "store.v1.StoreService/ListHolds": () => ({}),
  GetUsage: () => ({}),
};

/** Methods that are refused, because they would store more. */
export const refused: Readonly<Record<string, Message>> = {
  CreateAccount: () => ({ name: "new", plan: "PLAN_FREE" }),
  RenameAccount: () => ({ accountId: otherAccount, name: "other" }),
  CreateKey: () => ({ accountId: otherAccount }),
  RotateKey: ({ otherKey }) => ({ keyId: otherKey.keyId }),
  CreateItem: () => ({ item: { petId: "7", quantity: 1, status: "PET_STATUS_AVAILABLE" } }),
  ImportItems: () => ({ items: [{ petId: "7", quantity: 1, status: "PET_STATUS_AVAILABLE" }] }),
  SetItemStatus: () => ({ petId: "1", status: "PET_STATUS_SOLD" }),
  UpdateInventory: () => ({ petId: "1", update: { quantity: 3 } }),
  AdjustInventory: () => ({ petId: "1", delta: 1 }),
  BatchUpdateInventory: () => ({ updates: [pet] }),
  BatchAdjustInventory: () => ({ adjustments: [{ petId: "1", delta: 1 }] }),
  PlaceOrder: () => ({ petId: "1", quantity: 1 }),
  PutHold: () => ({ holdId: "another", items: [pet] }),
  ConfirmHold: () => ({ holdId: "cart" }),
};

/** Methods with streams, which have tests of their own. */
export const streams = ["WatchInventory", "ImportInventory"];

/** All methods of the contract. */
export const methods = [
  AdminService,
  InventoryService,
  PetService,
  StoreService,
  UsageService,
].flatMap((service) => service.methods);

/** Returns the request of a method, if the table has one. */
export function messageOf(
  table: Readonly<Record<string, Message>>,
  { name, parent }: (typeof methods)[number],
): Message | undefined {
  return table[`${parent.typeName}/${name}`] ?? table[name];
}
