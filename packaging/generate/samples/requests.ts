import type { DescMethod, JsonObject } from "@bufbuild/protobuf";

/** Ids in the samples. They have the form of real ids. */
export const sampleAccountId = "7t4e0k2m9w3c";
export const sampleKeyId = "5hq8x1n6b0r4v7j2d9ts";
export const sampleOrderId = "1793611800000417";
export const sampleHoldId = "cart-7";

const account = { accountId: sampleAccountId };
const hold = { holdId: sampleHoldId };
const key = { keyId: sampleKeyId };
const pet = { petId: "1", quantity: 12, status: "PET_STATUS_AVAILABLE" };

/** A request of every method, as ProtoJSON. The tests of all methods use it, too. */
const requests: Readonly<Record<string, JsonObject>> = {
  "inventory.v1.InventoryService/ListInventory": { pageSize: 100 },
  "inventory.v1.InventoryService/UpdateInventory": { petId: "1", update: { quantity: 12 } },
  "inventory.v1.InventoryService/GetInventoryItem": { petId: "1" },
  "inventory.v1.InventoryService/ListStockLevels": { pageSize: 100 },
  "inventory.v1.InventoryService/AdjustInventory": {
    petId: "1",
    delta: -2,
    note: "Moved to the vet.",
  },
  "inventory.v1.InventoryService/BatchUpdateInventory": {
    updates: [
      { petId: "1", quantity: 11 },
      { petId: "2", quantity: 7 },
    ],
  },
  "inventory.v1.InventoryService/BatchAdjustInventory": {
    adjustments: [
      { petId: "1", delta: -3 },
      { petId: "2", delta: 3 },
    ],
  },
  "inventory.v1.InventoryService/CountInventory": {
    counts: [
      { petId: "1", counted: 11 },
      { petId: "2", counted: 7 },
    ],
  },
  "inventory.v1.InventoryService/ListInventoryChanges": { pageSize: 100 },
  "inventory.v1.InventoryService/ListItemChanges": { petId: "1", pageSize: 100 },
  "inventory.v1.InventoryService/WatchInventory": {},
  "catalog.v1.CatalogService/ListPets": { pageSize: 100 },
  "catalog.v1.CatalogService/GetPet": { petId: "1" },
  "catalog.v1.CatalogService/CreatePet": {
    petId: "100",
    quantity: 12,
    status: "PET_STATUS_AVAILABLE",
  },
  "catalog.v1.CatalogService/UpdatePet": { petId: "1", status: "PET_STATUS_PENDING" },
  "catalog.v1.CatalogService/RemovePet": { petId: "100" },
  "catalog.v1.CatalogService/ImportPets": { pets: [pet] },
  "pets.v1.PetService/GetPet": { petId: "1" },
  "store.v1.StoreService/PlaceOrder": { petId: "1", quantity: 1, reference: "cart-7" },
  "store.v1.StoreService/CancelOrder": { orderId: sampleOrderId },
  "store.v1.StoreService/GetOrder": { orderId: sampleOrderId },
  "store.v1.StoreService/ListOrders": { pageSize: 100, reference: "cart-7" },
  "store.v1.StoreService/PutHold": {
    ...hold,
    items: [
      { petId: "1", quantity: 2 },
      { petId: "2", quantity: 1 },
    ],
    ttlSeconds: 600,
  },
  "store.v1.StoreService/ConfirmHold": hold,
  "store.v1.StoreService/ReleaseHold": hold,
  "store.v1.StoreService/GetHold": hold,
  "store.v1.StoreService/ListHolds": { pageSize: 100 },
  "usage.v1.UsageService/GetUsage": {},
  "admin.v1.AdminService/CreateAccount": { name: "Pet shop", plan: "PLAN_PRO" },
  "admin.v1.AdminService/GetAccount": account,
  "admin.v1.AdminService/ListAccounts": { pageSize: 100 },
  "admin.v1.AdminService/SetPlan": {
    ...account,
    plan: "PLAN_ENTERPRISE",
    limits: { perMinute: "5000", perDay: "1000000" },
  },
  "admin.v1.AdminService/SetWritePolicy": { ...account, writePolicy: "WRITE_POLICY_STRICT" },
  "admin.v1.AdminService/RenameAccount": { ...account, name: "Pet shop" },
  "admin.v1.AdminService/DisableAccount": account,
  "admin.v1.AdminService/EnableAccount": account,
  "admin.v1.AdminService/DeleteAccount": { ...account, validateOnly: true },
  "admin.v1.AdminService/GetAccountUsage": account,
  "admin.v1.AdminService/ListTopAccounts": { pageSize: 10, order: "TOP_ACCOUNTS_ORDER_REQUESTS" },
  "admin.v1.AdminService/CreateKey": { ...account, name: "till 1", scopes: ["inventory:read"] },
  "admin.v1.AdminService/ListKeys": account,
  "admin.v1.AdminService/ListAllKeys": { pageSize: 100 },
  "admin.v1.AdminService/ListBans": { pageSize: 100 },
  "admin.v1.AdminService/RevokeKey": key,
  "admin.v1.AdminService/RotateKey": key,
  "admin.v1.AdminService/UnbanKey": key,
  "admin.v1.AdminService/ListOrders": { pageSize: 100, status: "ORDER_STATUS_PLACED" },
  "admin.v1.AdminService/ListHolds": { pageSize: 100 },
  "admin.v1.AdminService/GetHold": { ...account, ...hold },
  "admin.v1.AdminService/ReleaseHold": { ...account, ...hold },
  "admin.v1.AdminService/CancelOrder": { ...account, orderId: sampleOrderId },
  "admin.v1.AdminService/AdvanceOrder": {
    ...account,
    orderId: sampleOrderId,
    status: "ORDER_STATUS_APPROVED",
  },
  "admin.v1.AdminService/ListAuditEntries": { pageSize: 100 },
};

/** Returns the sample request of a method, as ProtoJSON. @throws Error if it has none */
export function sampleRequest(method: DescMethod): JsonObject {
  const request = requests[rpcName(method)];
  if (!request) throw new Error(`add ${rpcName(method)} to packaging/generate/samples/requests.ts`);
  return request;
}

/** Returns the name of a method as in its path: `inventory.v1.InventoryService/GetInventoryItem`. */
export function rpcName({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}
