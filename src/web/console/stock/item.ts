import { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";

/** The stock of one pet. */
export interface Item {
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: PetStatus;
  /** When a live change arrived, on the clock of performance.now(); undefined for items of a snapshot. */
  readonly changedAt?: number;
}

const words: ReadonlyMap<PetStatus, string> = new Map([
  [PetStatus.AVAILABLE, "available"],
  [PetStatus.PENDING, "pending"],
  [PetStatus.SOLD, "sold"],
]);

/** The statuses with their words, for a list of choices. */
export const statuses: readonly (readonly [status: PetStatus, word: string])[] = [...words];

/** Returns the word of a status. A newer server may send a status that this page does not know. */
export function statusWord(status: PetStatus): string {
  return words.get(status) ?? `status ${status}`;
}
