import { create } from "@bufbuild/protobuf";
import {
  type InventoryItem,
  InventoryItemSchema,
  type ListInventoryRequest,
  type ListInventoryResponse,
  ListInventoryResponseSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { fieldsInvalid } from "../errors.ts";
import type { InventoryStore, Item, WholeList } from "./inventory-store.ts";
import { itemMessage } from "./item-message.ts";
import { pageToken, startOfPage } from "./page-token.ts";

/** Items of a page whose size is not said. */
const defaultPageSize = 1_000;

/** Responses with the whole list, by list: a cached list gets its response only once. */
const wholeAnswers = new WeakMap<WholeList, ListInventoryResponse>();

/**
 * The list, or the page of it that is asked for.
 *
 * @param since when it was asked for (see {@link InventoryStore.list})
 * @throws ConnectError invalid_argument when a mask names no field, or is for the whole list
 */
export async function listItems(
  store: InventoryStore,
  { pageSize, pageToken: token, readMask }: ListInventoryRequest,
  since: number | undefined,
): Promise<ListInventoryResponse> {
  // An empty mask means all fields, as an absent one does (AIP-157).
  const fields = readMask?.paths.length ? maskedFields(readMask.paths) : undefined;
  if (pageSize === undefined && token === "") {
    // Each would be a copy of its own, of any size; the whole list is shared by all who read it.
    if (fields) {
      const description = "can be used with page_size only: set it to at most 1000";
      throw fieldsInvalid([{ field: "read_mask", description }]);
    }
    const list = await store.list(since);
    return Object.isFrozen(list)
      ? wholeAnswers.getOrInsertComputed(list, frozenAnswer)
      : answer(list);
  }
  const start = startOfPage("pet", token);
  const { items, version, more } = await store.page(start, pageSize ?? defaultPageSize);
  const last = items.at(-1);
  return create(ListInventoryResponseSchema, {
    items: items.map(fields ? (item) => masked(item, fields) : itemMessage),
    nextPageToken: more && last ? pageToken("pet", last.petId) : "",
    version,
  });
}

function answer({ items, version }: WholeList): ListInventoryResponse {
  const message = create(ListInventoryResponseSchema, { version });
  // Not copied, as `create` would: a list can have a million items.
  message.items = items as InventoryItem[];
  return message;
}

/** Makes a frozen response, so that its text can be cached with it. */
function frozenAnswer(list: WholeList): ListInventoryResponse {
  return Object.freeze(answer(list));
}

/** @throws ConnectError invalid_argument when there is no such field */
function maskedFields(paths: readonly string[]): ReadonlySet<string> {
  const names = InventoryItemSchema.fields.map(({ name }) => name);
  for (const path of paths) {
    if (!names.includes(path)) {
      const description = `an entry has no field ${path}, but ${names.join(", ")}`;
      throw fieldsInvalid([{ field: "read_mask", description }]);
    }
  }
  return new Set(paths);
}

/** An item with the fields of a mask alone; the pet id says what it is, so it stays. */
function masked({ petId, quantity, status }: Item, fields: ReadonlySet<string>): InventoryItem {
  return create(InventoryItemSchema, {
    petId,
    ...(fields.has("quantity") && { quantity }),
    ...(fields.has("status") && { status }),
  });
}
