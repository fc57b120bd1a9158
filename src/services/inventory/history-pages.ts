import type { ListInventoryChangesRequest } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { CallContext } from "../../common/call-context.ts";
import type { HistoryPage, InventoryStore } from "../../stores/inventory-store.ts";
import { defaultPageSize, pageToken, pageTokenStale, positionOfPage } from "./page-token.ts";

interface Position {
  /** The version of its first change. */
  readonly version: bigint;
  /** The version of the first change of the first page. */
  readonly newest: bigint;
}

export type ChangesRequest = Pick<ListInventoryChangesRequest, "pageSize" | "pageToken">;

/**
 * Reads a page of the history of one pet, or of all pets if `petId` is undefined; undefined when there is no such pet.
 *
 * @throws ConnectError invalid_argument when the page token is malformed, or belongs to a lost or replaced history
 */
export async function historyPage(
  store: Pick<InventoryStore, "changes" | "historyStart">,
  petId: bigint | undefined,
  { pageSize = defaultPageSize, pageToken: token }: ChangesRequest,
  context: CallContext,
): Promise<{ changes: HistoryPage["changes"]; nextPageToken: string } | undefined> {
  const position = positionOf(token);
  const query = { petId, from: position?.version, limit: pageSize };
  const page = await store.changes(query, context);
  if (!page) return undefined;
  const { changes, next } = page;
  const isStale =
    position &&
    changes[0]?.version !== position.version &&
    !(await wasTrimmed(store, petId, position, context));
  if (isStale) throw pageTokenStale();
  const newest = position?.newest ?? changes[0]?.version;
  return {
    changes,
    nextPageToken: next === undefined ? "" : pageToken("version", `${next} ${newest}`),
  };
}

/**
 * Returns whether a change was removed because of its age. The history had it if it still has a newer one of the same
 * list, because no version is ever used twice.
 */
async function wasTrimmed(
  store: Pick<InventoryStore, "changes" | "historyStart">,
  petId: bigint | undefined,
  { version, newest }: Position,
  context: CallContext,
): Promise<boolean> {
  const [start, page] = await Promise.all([
    store.historyStart(),
    store.changes({ petId, from: newest, limit: 1 }, context),
  ]);
  return version <= start && page?.changes[0]?.version === newest;
}

/** @returns undefined for the first page */
function positionOf(token: string): Position | undefined {
  const match = positionOfPage("version", token, /^(0|[1-9]\d{0,18}) (0|[1-9]\d{0,18})$/);
  if (!match) return undefined;
  const [version, newest] = match.slice(1).map(BigInt) as [bigint, bigint];
  return { version, newest };
}
