import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ChangeReasonSchema,
  type InventoryChange,
  InventoryChangeSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { isoTime } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import type { Session } from "../session/clients.ts";
import { listing } from "../session/kinds.ts";
import { type Entries, nameColumn, requestOfPet, type SkuOption } from "../session/pets.ts";
import { type PageRequest, required, smallPage } from "../session/session.ts";

const mostAccounts = 100;

/** Names by account id, of one command. */
const names = new Map<string, string>();

const columnsOf = (entries: Entries): readonly Column<InventoryChange>[] => [
  { title: "TIME", of: ({ changedAt }) => isoTime(timestampMs(required(changedAt))) },
  { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
  nameColumn(entries, ({ petId }) => petId),
  { title: "BEFORE", of: ({ quantityBefore }) => quantityBefore, isNumber: true },
  { title: "AFTER", of: ({ quantityAfter }) => quantityAfter, isNumber: true },
  { title: "REASON", of: ({ reason }) => enumWord(ChangeReasonSchema, reason) },
  { title: "CHANGED BY", of: ({ accountId }) => names.get(accountId) ?? accountId, least: 10 },
  { title: "REFERENCE", of: ({ reference }) => reference, least: 8 },
  { title: "NOTE", of: ({ note }) => note, least: 8 },
  { title: "KEY", of: ({ keyId }) => keyId, isExtra: true },
  { title: "VERSION", of: ({ version }) => version, isExtra: true },
];

/** Prints the newest changes of one pet, or of all pets. @throws CommandError */
export const itemHistory = listing(
  { desc: InventoryChangeSchema, columns: columnsOf, petsOf: ({ petId }) => [petId] },
  { field: "changes", largest: smallPage.changes },
  requestOfPetOrAll,
  (session) => {
    names.clear();
    return async (request) => {
      const page = await newestChanges(session, request);
      await readNames(session, page.changes);
      return page;
    };
  },
);

/** Reads the names of the accounts that made changes. A key that may not read them shows ids. */
async function readNames({ admin }: Session, changes: readonly InventoryChange[]): Promise<void> {
  const ids = new Set(changes.map(({ accountId }) => accountId));
  const accountIds = [...ids].filter((id) => id !== "" && !names.has(id));
  for (const id of accountIds) names.set(id, id);
  for (let at = 0; at < accountIds.length; at += mostAccounts) {
    const some = accountIds.slice(at, at + mostAccounts);
    try {
      const { accounts } = await admin.listAccounts({ accountIds: some });
      for (const { accountId, name } of accounts) names.set(accountId, name);
    } catch (error) {
      if (ConnectError.from(error).code !== Code.PermissionDenied) throw error;
    }
  }
}

/** Returns the request of a command for one pet or all pets. @throws CommandError */
export function requestOfPetOrAll(pet: string | undefined, by: SkuOption) {
  return requestOfPet(pet, by, {}, "[pet-id]");
}

/** Returns a page of the newest changes of a pet, or of all pets if it is undefined. Newest first. */
export function newestChanges(
  { inventory }: Session,
  { petId, ...page }: PageRequest & { readonly petId: bigint | undefined },
): Promise<{ readonly changes: readonly InventoryChange[] }> {
  return petId === undefined
    ? inventory.listInventoryChanges(page)
    : inventory.listItemChanges({ petId, ...page });
}
