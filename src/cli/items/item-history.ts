import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ChangeReasonSchema,
  type InventoryChange,
  InventoryChangeSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../call/enum-word.ts";
import { httpJson } from "../../contract/http-json.ts";
import type { Environment } from "../environment.ts";
import { parsePageSize, parsePetId, readOption } from "../output/field-text.ts";
import { isoTime, jsonArray, printResult, table } from "../output/output.ts";
import { required, withSession } from "../session/session.ts";

/** Options of `items history`. */
interface HistoryOptions {
  readonly last: string;
}

const sources = { pet_id: "[pet-id]", page_size: "--last" };

/** Prints the newest changes of one pet, or of all pets. @throws CommandError */
export async function itemHistory(
  environment: Environment,
  pet: string | undefined,
  { last }: HistoryOptions,
): Promise<void> {
  const petId = pet === undefined ? undefined : readOption("[pet-id]", parsePetId, pet);
  const pageSize = readOption("--last", parsePageSize, last);
  const changes = await withSession(environment, sources, async ({ inventory }) => {
    const page =
      petId === undefined
        ? await inventory.listInventoryChanges({ pageSize })
        : await inventory.listItemChanges({ petId, pageSize });
    return page.changes;
  });
  await printResult(environment, {
    json: () =>
      jsonArray(changes.map((change) => httpJson.encodeJson(InventoryChangeSchema, change))),
    text: () => table(header, changes.map(cells)),
  });
}

const header = ["VERSION", "TIME", "PET", "BEFORE", "AFTER", "REASON", "REFERENCE", "KEY", "NOTE"];

function cells(change: InventoryChange): string[] {
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
