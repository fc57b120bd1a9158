import { create } from "@bufbuild/protobuf";
import {
  type InventoryItem,
  InventoryItemSchema,
  type ListInventoryRequest,
  type ListInventoryResponse,
  ListInventoryResponseSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import type { CallContext } from "../../call/context.ts";
import { quote } from "../../call/quote.ts";
import { fieldsInvalid } from "../../contract/errors.ts";
import type { InventoryStore, Item, WholeList } from "../../stores/inventory-store.ts";
import { itemMessage } from "../../stores/item-message.ts";
import { pageToken, startOfPage } from "./page-token.ts";

/** Items of a page when the request has no page_size. */
const defaultPageSize = 1_000;

/** Responses with the whole list. Each cached list gets one response. */
const wholeResponses = new WeakMap<WholeList, ListInventoryResponse>();

/**
 * Returns the whole list, or the requested page of it.
 *
 * @param call its `arrivedAt` says how old the list may be (see {@link InventoryStore.list})
 * @throws ConnectError invalid_argument when a mask has an unknown field, or there is no page_size to use it with
 */
export async function listItems(
  store: InventoryStore,
  { pageSize, pageToken: token, readMask }: ListInventoryRequest,
  call: CallContext & { readonly arrivedAt?: number },
): Promise<ListInventoryResponse> {
  // An empty mask means all fields, as an absent one does (AIP-157).
  const fields = readMask?.paths.length ? maskedFields(readMask.paths) : undefined;
  if (pageSize === undefined && token === "") {
    // A masked list would be another copy, without a limit of its size. All callers share the whole list.
    if (fields) {
      const description = "needs page_size: set it to 1 to 1000";
      throw fieldsInvalid([{ field: "read_mask", description }]);
    }
    const list = await store.list(call.arrivedAt, call);
    return Object.isFrozen(list)
      ? wholeResponses.getOrInsertComputed(list, frozenResponse)
      : response(list);
  }
  const start = startOfPage("pet", token);
  const { items, version, more } = await store.page(start, pageSize ?? defaultPageSize, call);
  const last = items.at(-1);
  return create(ListInventoryResponseSchema, {
    items: items.map(fields ? (item) => masked(item, fields) : itemMessage),
    nextPageToken: more && last ? pageToken("pet", last.petId) : "",
    version,
  });
}

function response({ items, version }: WholeList): ListInventoryResponse {
  const message = create(ListInventoryResponseSchema, { version });
  // `create` would copy the items, and a list can have a million.
  message.items = items as InventoryItem[];
  return message;
}

/** Makes a frozen response, so that its text can be cached with it. */
function frozenResponse(list: WholeList): ListInventoryResponse {
  return Object.freeze(response(list));
}

/** @throws ConnectError invalid_argument when a path is not a field of an item */
function maskedFields(paths: readonly string[]): ReadonlySet<string> {
  const names = InventoryItemSchema.fields.map(({ name }) => name);
  for (const path of paths) {
    if (!names.includes(path)) {
      const description = `${quote(path)} is not a field of an item: use ${names.join(", ")}`;
      throw fieldsInvalid([{ field: "read_mask", description }]);
    }
  }
  return new Set(paths);
}

/** Makes a message with the pet id and the fields of a mask. */
function masked({ petId, quantity, status }: Item, fields: ReadonlySet<string>): InventoryItem {
  return create(InventoryItemSchema, {
    petId,
    ...(fields.has("quantity") && { quantity }),
    ...(fields.has("status") && { status }),
  });
}
