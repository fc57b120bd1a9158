import { PetStatus } from "../gen/inventory/v1/inventory_pb.ts";
import type { BenchItem } from "./items.ts";

const numbers = {
  available: PetStatus.AVAILABLE,
  pending: PetStatus.PENDING,
  sold: PetStatus.SOLD,
} as const;

/** Returns the number that the contract gives a status. */
export function petStatus(status: BenchItem["status"]): PetStatus {
  return numbers[status];
}
