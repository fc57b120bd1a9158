import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Item } from "../inventory-store.ts";

const { AVAILABLE, PENDING, SOLD } = PetStatus;

/** A small stock for trying the service. */
export const sampleItems: readonly Item[] = [
  { petId: 1n, quantity: 12, status: AVAILABLE },
  { petId: 2n, quantity: 3, status: AVAILABLE },
  { petId: 3n, quantity: 0, status: SOLD },
  { petId: 4n, quantity: 7, status: PENDING },
  { petId: 5n, quantity: 25, status: AVAILABLE },
];
