import { create } from "@bufbuild/protobuf";
import {
  type CatalogEntry,
  type ListPetsRequest,
  type ListPetsResponse,
  ListPetsResponseSchema,
} from "../../../gen/catalog/v1/catalog_pb.ts";
import type { CallContext } from "../../common/call-context.ts";
import type { CatalogStore, EntryList, EntryPage } from "../../stores/catalog-store.ts";
import { markedToken, markOf, startOfPage } from "../inventory/page-token.ts";

/** Entries of a page when the request has no page_size: more than a request can ask for by pets or SKUs. */
const defaultPageSize = 1_000;

/** Responses with the whole catalogue. Each cached list gets one response, so that its text is cached too. */
const wholeResponses = new WeakMap<EntryList, ListPetsResponse>();

/** Returns all entries, those of the request, or a page of them. @throws ConnectError invalid_argument for a wrong page token */
export async function listPets(
  store: CatalogStore,
  request: ListPetsRequest,
  context: CallContext,
): Promise<ListPetsResponse> {
  const { pageSize, pageToken: token, sku, petIds } = request;
  const isPage = pageSize !== undefined || token !== "";
  const isSelection = sku.length > 0 || petIds.length > 0;
  if (!isPage && !isSelection) {
    const list = await store.list(context);
    return wholeResponses.getOrInsertComputed(list, (each) => Object.freeze(response(each)));
  }
  const mark = isSelection ? markOf(JSON.stringify([sku, petIds.map(String)])) : "";
  const after = startOfPage("catalog", token, mark);
  const limit = pageSize ?? defaultPageSize;
  const page = isSelection
    ? pageOf(await store.find(queryOf(request), context), after, limit)
    : await store.page(after, limit, context);
  const message = response(page);
  const last = page.entries.at(-1);
  if (last && page.more) message.nextPageToken = markedToken("catalog", last.petId, mark);
  return message;
}

const queryOf = ({ sku, petIds }: ListPetsRequest) => ({
  skus: sku.length > 0 ? sku : undefined,
  petIds: petIds.length > 0 ? petIds : undefined,
});

function pageOf({ entries, version }: EntryList, after = 0n, limit: number): EntryPage {
  const rest = entries.filter(({ petId }) => petId > after);
  return { entries: rest.slice(0, limit), more: rest.length > limit, version };
}

function response({ entries, version }: EntryList): ListPetsResponse {
  const message = create(ListPetsResponseSchema, { version });
  // `create` would copy the entries.
  message.entries = entries as CatalogEntry[];
  return message;
}
