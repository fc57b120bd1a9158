import { PetStatus, PetStatusSchema } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../../../../src/common/enum-word.ts";

/** The stock of one pet. */
export interface Item {
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: PetStatus;
  /** When a live change arrived, on the clock of performance.now(); undefined for items of a snapshot. */
  readonly changedAt?: number;
}

/** The highest quantity that the list marks as low. */
export const lowQuantity = 5;

/** Returns the word of a status. */
export function statusWord(status: PetStatus): string {
  return enumWord(PetStatusSchema, status);
}

/** The statuses with their words, for a list of choices. */
export const statuses: readonly (readonly [status: PetStatus, word: string])[] = [
  PetStatus.AVAILABLE,
  PetStatus.PENDING,
  PetStatus.SOLD,
].map((status) => [status, statusWord(status)]);
