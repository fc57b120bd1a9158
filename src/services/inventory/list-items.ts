import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { quote, requestOf } from "connect-gateway/call";
import {
  type InventoryItem,
  InventoryItemSchema,
  type ListInventoryRequest,
  type ListInventoryResponse,
  ListInventoryResponseSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { storeContext } from "../../common/call-context.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type {
  InventoryStore,
  Item,
  ItemList,
  ItemPage,
  WholeList,
} from "../../stores/inventory-store.ts";
import { itemMessage } from "../../stores/item-message.ts";
import { versionEntityTag } from "./if-match.ts";
import { markedToken, markOf, startOfPage } from "./page-token.ts";
import { isCacheable, type SelectedPage, selectedPage } from "./selected-page.ts";
import { checkSelection, type Selection, selectionOf } from "./selection.ts";

/** Items of a page when the request has no page_size. */
const defaultPageSize = 1_000;

interface Tagged {
  readonly message: ListInventoryResponse;
  readonly tag: string;
}

/** Responses with the whole list. Each cached list gets one response. */
const wholeResponses = new WeakMap<WholeList, Tagged>();

/**
 * Returns the whole list, its selected items, or the requested page of them. Sets the entity tag.
 *
 * @param context the `arrivedAt` of its request says how old the list may be (see {@link InventoryStore.list})
 * @throws ConnectError invalid_argument when a mask has an unknown field, or there is no page_size to use it with; when
 * no quantity can fit the selection; when the page token belongs to another selection
 */
export function listItems(
  store: InventoryStore,
  request: ListInventoryRequest,
  context: HandlerContext,
): Promise<ListInventoryResponse> {
  const tagged = ({ message, tag }: Tagged) => {
    context.responseHeader.set("etag", tag);
    return message;
  };
  const selection = selectionOf(request);
  if (!selection && !isPage(request) && !request.readMask?.paths.length) {
    return store
      .list(requestOf(context).arrivedAt, storeContext(context))
      .then((list) => tagged(wholeResponse(list)));
  }
  return pageOfItems(store, request, selection, context).then((page) => tagged(withTag(page)));
}

function isPage({ pageSize, pageToken }: ListInventoryRequest): boolean {
  return pageSize !== undefined || pageToken !== "";
}

async function pageOfItems(
  store: InventoryStore,
  request: ListInventoryRequest,
  selection: Selection | undefined,
  context: HandlerContext,
): Promise<ListInventoryResponse> {
  const { pageSize = defaultPageSize, pageToken, readMask } = request;
  // An empty mask means all fields, as an absent one does (AIP-157).
  const fields = readMask?.paths.length ? maskedFields(readMask.paths) : undefined;
  if (fields && !isPage(request)) {
    // A masked list would be another copy, without a limit of its size. All callers share the whole list.
    throw fieldInvalid("read_mask", "needs page_size: set it to 1 to 1000");
  }
  if (!selection) {
    const page = await store.page(startOfPage("pet", pageToken), pageSize, storeContext(context));
    return pageResponse(page, "", fields);
  }
  checkSelection(selection);
  const mark = isPage(request) ? markOf(selection.key) : "";
  const after = startOfPage("pet", pageToken, mark) ?? 0n;
  const list = await store.list(requestOf(context).arrivedAt, storeContext(context));
  const limit = isPage(request) ? pageSize : Number.POSITIVE_INFINITY;
  const page = await selectedPage(list, selection, after, limit);
  return fields ? pageResponse(page, mark, fields) : selectedResponse(page, mark);
}

/** @param mark of the selection, for the page token */
function pageResponse(
  { items, version, more }: ItemPage,
  mark: string,
  fields: ReadonlySet<string> | undefined,
): ListInventoryResponse {
  return create(ListInventoryResponseSchema, {
    items: items.map(fields ? (item) => masked(item, fields) : itemMessage),
    nextPageToken: nextToken(items, more ? mark : undefined),
    version,
  });
}

/** Returns the token of the page after some items. @param mark undefined if these are the last */
function nextToken(items: readonly Item[], mark: string | undefined): string {
  const last = items.at(-1);
  return last && mark !== undefined ? markedToken("pet", last.petId, mark) : "";
}

/** Makes the response with a page. It is frozen if the page is cached, so that its text is cached too. */
function selectedResponse(page: SelectedPage, mark: string): ListInventoryResponse {
  if (page.response) return page.response;
  const message = response(page);
  message.nextPageToken = nextToken(page.items, page.more ? mark : undefined);
  if (isCacheable(page)) page.response = Object.freeze(message);
  return message;
}

function response({ items, version }: ItemList): ListInventoryResponse {
  const message = create(ListInventoryResponseSchema, { version });
  // `create` would copy the items, and a list can have a million.
  message.items = items as InventoryItem[];
  return message;
}

/** Makes a frozen response, so that its text can be cached with it. */
function wholeResponse(list: WholeList): Tagged {
  return Object.isFrozen(list)
    ? wholeResponses.getOrInsertComputed(list, frozenResponse)
    : withTag(response(list));
}

const frozenResponse = (list: WholeList) => withTag(Object.freeze(response(list)));

function withTag(message: ListInventoryResponse): Tagged {
  return { message, tag: versionEntityTag(message.version) };
}

/** @throws ConnectError invalid_argument when a path is not a field of an item */
function maskedFields(paths: readonly string[]): ReadonlySet<string> {
  const names = InventoryItemSchema.fields.map(({ name }) => name);
  const unknown = paths.find((path) => !names.includes(path));
  if (unknown === undefined) return new Set(paths);
  const fault = `${quote(unknown)} is not a field of an item: use ${names.join(", ")}`;
  throw fieldInvalid("read_mask", fault);
}

/** Makes a message with the pet id and the fields of a mask. */
function masked({ petId, quantity, status }: Item, fields: ReadonlySet<string>): InventoryItem {
  return create(InventoryItemSchema, {
    petId,
    ...(fields.has("quantity") && { quantity }),
    ...(fields.has("status") && { status }),
  });
}
