import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { PutPet } from "../catalog-store.ts";

const { AVAILABLE, PENDING, SOLD } = PetStatus;

/** A small stock for trying the service. */
export const sampleItems: readonly PutPet[] = [
  { petId: 1n, name: "Guinea pig", sku: "SM-101", quantity: 12, status: AVAILABLE },
  { petId: 2n, name: "Budgerigar", sku: "BI-201", quantity: 3, status: AVAILABLE },
  { petId: 3n, name: "Labrador puppy Rex", sku: "DO-301", quantity: 0, status: SOLD },
  { petId: 4n, name: "Corn snake", sku: "RE-401", quantity: 7, status: PENDING },
  { petId: 5n, name: "Goldfish", sku: "FI-501", quantity: 25, status: AVAILABLE },
];
