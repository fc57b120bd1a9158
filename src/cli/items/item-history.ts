import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ChangeReasonSchema,
  type InventoryChange,
  InventoryChangeSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../call/enum-word.ts";
import type { Environment } from "../environment.ts";
import { parsePageSize, parsePetId, readOption } from "../output/field-text.ts";
import { printMessages } from "../output/messages.ts";
import { isoTime } from "../output/output.ts";
import { required, type Session, withSession } from "../session/session.ts";

const sources = { pet_id: "[pet-id]", page_size: "--last" };

/** Prints the newest changes of one pet, or of all pets. @throws CommandError */
export async function itemHistory(
  environment: Environment,
  pet: string | undefined,
  { last }: { readonly last: string },
): Promise<void> {
  const petId = pet === undefined ? undefined : readOption("[pet-id]", parsePetId, pet);
  const pageSize = readOption("--last", parsePageSize, last);
  const changes = await withSession(environment, sources, (session) =>
    newestChanges(session, petId, pageSize),
  );
  await printMessages(environment, InventoryChangeSchema, changes, { header, cellsOf });
}

/** Returns the newest changes of a pet, or of all pets if it is undefined. Newest first. */
export async function newestChanges(
  { inventory }: Session,
  petId: bigint | undefined,
  pageSize: number,
): Promise<readonly InventoryChange[]> {
  if (petId === undefined) return (await inventory.listInventoryChanges({ pageSize })).changes;
  return (await inventory.listItemChanges({ petId, pageSize })).changes;
}

const header = ["VERSION", "TIME", "PET", "BEFORE", "AFTER", "REASON", "REFERENCE", "KEY", "NOTE"];

function cellsOf(change: InventoryChange): string[] {
  return [
    String(change.version),
    isoTime(timestampMs(required(change.changedAt))),
    String(change.petId),
    String(change.quantityBefore ?? ""),
    String(change.quantityAfter ?? ""),
    enumWord(ChangeReasonSchema, change.reason),
    change.reference,
    change.keyId,
    change.note,
  ];
}
