import type { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";

/** One stock entry. */
export interface Item {
  readonly petId: bigint;
  /** 0 to 2,147,483,647. */
  readonly quantity: number;
  readonly status: PetStatus;
}

/** Largest quantity: that of an int32. */
export const maxQuantity = 2_147_483_647;

/** The stock. A change that was answered is stored before the answer. */
export interface InventoryStore {
  /** @returns all items in ascending order of pet id; none acknowledged before the call is missing */
  list(): Promise<Item[]>;
  /** @returns undefined when there is no such pet */
  get(petId: bigint): Promise<Item | undefined>;
  /** @returns the item after the change; undefined when there is no such pet */
  setQuantity(petId: bigint, quantity: number): Promise<Item | undefined>;
  /** @returns the item after the change; undefined when there is no such pet */
  setStatus(petId: bigint, status: PetStatus): Promise<Item | undefined>;
  /** @returns false when the pet is there already */
  create(item: Item): Promise<boolean>;
  /** Adds items, or sets quantity and status of those that are there, all in one atomic step. */
  put(items: readonly Item[]): Promise<{ created: number; updated: number }>;
  /** @returns the item as it was; undefined when there is no such pet */
  remove(petId: bigint): Promise<Item | undefined>;
}
