import { PetStatus } from "../gen/inventory/v1/inventory_pb.ts";
import type { BenchItem } from "./items.ts";

const numbers = {
  available: PetStatus.AVAILABLE,
  pending: PetStatus.PENDING,
  sold: PetStatus.SOLD,
} as const;

/** The contract's number of a status. */
export function petStatus(status: BenchItem["status"]): PetStatus {
  return numbers[status];
}
