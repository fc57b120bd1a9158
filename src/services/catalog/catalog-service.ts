import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { requestOf } from "connect-gateway/call";
import {
  CatalogEntrySchema,
  type CatalogService,
  type ListPetsRequest,
} from "../../../gen/catalog/v1/catalog_pb.ts";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { StreamCharge } from "../../admission/charge.ts";
import { storeContext } from "../../common/call-context.ts";
import type { Item } from "../../stores/inventory-store.ts";
import type { Stores } from "../../stores/stores.ts";
import { recordOrigin } from "../inventory/change-once.ts";
import { petNotFound } from "../inventory/errors.ts";
import { versionEntityTag } from "../inventory/if-match.ts";
import { pageToken, startOfPage } from "../inventory/page-token.ts";
import { petExists, petHeld } from "./errors.ts";
import { importStream } from "./import-stream.ts";

/** The reason in the history for pets that are created or imported. */
const imported = { reason: ChangeReason.IMPORT };

/** Entries of a page when the request has no page_size. */
const defaultPageSize = 1_000;

/** Creates catalog.v1.CatalogService. @param payFor counts the requests that the messages of an import cost */
export function createCatalogService(
  { catalog, inventory }: Pick<Stores, "catalog" | "inventory">,
  payFor: StreamCharge,
): ServiceImpl<typeof CatalogService> {
  async function listPets(request: ListPetsRequest, context: HandlerContext) {
    const { pageSize = defaultPageSize, pageToken: token } = request;
    const isPage = request.pageSize !== undefined || token !== "";
    const call = storeContext(context);
    const found = isPage
      ? await inventory.page(startOfPage("catalog", token), pageSize, call)
      : { ...(await inventory.list(requestOf(context).arrivedAt, call)), more: false };
    const { items, version, more } = found;
    context.responseHeader.set("etag", versionEntityTag(version));
    const last = items.at(-1);
    const nextPageToken = last && more ? pageToken("catalog", last.petId) : "";
    return { entries: items.map(entryMessage), nextPageToken, version };
  }

  return {
    listPets,
    async getPet({ petId }, context) {
      const item = await inventory.get(petId, storeContext(context));
      const { entry } = entryResponse(petId, item);
      const { version } = await inventory.page(undefined, 1, storeContext(context));
      context.responseHeader.set("etag", versionEntityTag(version));
      return { entry, version };
    },
    async createPet({ petId, status, quantity = 0 }, context) {
      const item = { petId, quantity, status: status || PetStatus.AVAILABLE };
      const origin = recordOrigin(context, imported);
      const isNew = await catalog.create(item, origin, storeContext(context));
      if (isNew === undefined) throw petExists(petId);
      return { entry: entryMessage(item) };
    },
    async updatePet({ petId, status }, context) {
      const origin = recordOrigin(context);
      const changed = await catalog.update(petId, { status }, origin, storeContext(context));
      return entryResponse(petId, changed);
    },
    async removePet({ petId }, context) {
      const removed = await catalog.remove(petId, recordOrigin(context), storeContext(context));
      if (removed === "held") throw petHeld(petId);
      return entryResponse(petId, removed);
    },
    importPets(requests, context) {
      const how = { origin: recordOrigin(context, imported), pay: payFor(context) };
      return importStream(catalog, requests, how, storeContext(context));
    },
  };
}

/** @throws ConnectError not_found if there is no such pet */
function entryResponse(petId: bigint, item: Item | undefined) {
  if (!item) throw petNotFound(petId);
  return { entry: entryMessage(item) };
}

function entryMessage({ petId, status }: Item) {
  return create(CatalogEntrySchema, { petId, status });
}
