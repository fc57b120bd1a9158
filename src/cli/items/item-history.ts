import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ChangeReasonSchema,
  type InventoryChange,
  InventoryChangeSchema,
  type ListItemChangesResponse,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../call/enum-word.ts";
import type { Environment } from "../environment.ts";
import { parsePetId, readOption } from "../output/field-text.ts";
import { printMessages } from "../output/messages.ts";
import { isoTime } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import { allPages, required, type Session, smallPage, withSession } from "../session/session.ts";

const sources = { pet_id: "[pet-id]" };

/** Prints the newest changes of one pet, or of all pets. @throws CommandError */
export async function itemHistory(
  environment: Environment,
  pet: string | undefined,
  { limit }: { readonly limit: number },
): Promise<void> {
  const petId = pet === undefined ? undefined : readOption("[pet-id]", parsePetId, pet);
  const changes = await withSession(environment, sources, (session) =>
    newestChanges(environment, session, petId, limit),
  );
  await printMessages(environment, InventoryChangeSchema, changes, { columns, cellsOf });
}

/** Returns the newest changes of a pet, or of all pets if it is undefined. Newest first. */
export function newestChanges(
  environment: Environment | undefined,
  { inventory }: Session,
  petId: bigint | undefined,
  limit: number,
): Promise<readonly InventoryChange[]> {
  return allPages<Pick<ListItemChangesResponse, "changes" | "nextPageToken">, InventoryChange>(
    environment,
    limit,
    (page) =>
      petId === undefined
        ? inventory.listInventoryChanges(page)
        : inventory.listItemChanges({ petId, ...page }),
    (page) => page.changes,
    smallPage.changes,
  );
}

const columns: readonly (Column | string)[] = [
  "TIME",
  { title: "PET ID", isNumber: true },
  { title: "BEFORE", isNumber: true },
  { title: "AFTER", isNumber: true },
  "REASON",
  { title: "REFERENCE", least: 8 },
  { title: "NOTE", least: 8 },
  { title: "KEY", isExtra: true },
  { title: "VERSION", isExtra: true },
];

function cellsOf(change: InventoryChange): string[] {
  return [
    isoTime(timestampMs(required(change.changedAt))),
    String(change.petId),
    String(change.quantityBefore ?? ""),
    String(change.quantityAfter ?? ""),
    enumWord(ChangeReasonSchema, change.reason),
    change.reference,
    change.note,
    change.keyId,
    String(change.version),
  ];
}
