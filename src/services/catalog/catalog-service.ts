import type { ServiceImpl } from "@connectrpc/connect";
import type { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { StreamCharge } from "../../admission/charge.ts";
import { storeContext } from "../../common/call-context.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { CatalogStore, ListedEntry, SkuTaken } from "../../stores/catalog-store.ts";
import { listedEntry } from "../../stores/entry-message.ts";
import { recordOrigin } from "../inventory/change-once.ts";
import { petNotFound } from "../inventory/errors.ts";
import { versionEntityTag } from "../inventory/if-match.ts";
import { petExists, petHeld, skuTaken } from "./errors.ts";
import { importStream } from "./import-stream.ts";
import { listPets } from "./list-pets.ts";

/** The reason in the history for pets that are created or imported. */
const imported = { reason: ChangeReason.IMPORT };

/** Creates catalog.v1.CatalogService. @param payFor counts the requests that the messages of an import cost */
export function createCatalogService(
  store: CatalogStore,
  payFor: StreamCharge,
): ServiceImpl<typeof CatalogService> {
  return {
    async listPets(request, context) {
      const response = await listPets(store, request, storeContext(context));
      context.responseHeader.set("etag", versionEntityTag(response.version));
      return response;
    },
    async getPet({ petId }, context) {
      const { entries, version } = await store.find({ petIds: [petId] }, storeContext(context));
      context.responseHeader.set("etag", versionEntityTag(version));
      return { ...entryResponse(petId, entries[0]), version };
    },
    async createPet({ petId, name, sku, status: given, quantity = 0 }, context) {
      const status = given || PetStatus.AVAILABLE;
      const pet = { petId, name, sku, status, quantity };
      const created = await store.create(
        pet,
        recordOrigin(context, imported),
        storeContext(context),
      );
      if (created === undefined) throw petExists(petId);
      if (isTaken(created)) throw skuTaken(sku, created.by);
      return { entry: listedEntry(pet) };
    },
    async updatePet({ petId, name, sku, status: given }, context) {
      const status = given || undefined;
      if (name === undefined && sku === undefined && status === undefined) {
        throw fieldInvalid("name", "is required, unless the request has sku or status");
      }
      // Only a change of the status is one of the stock.
      const origin = status && recordOrigin(context);
      const change = { name, sku, status };
      const changed = await store.update(petId, change, origin, storeContext(context));
      if (isTaken(changed)) throw skuTaken(sku ?? "", changed.by);
      return entryResponse(petId, changed);
    },
    async removePet({ petId }, context) {
      const removed = await store.remove(petId, recordOrigin(context), storeContext(context));
      if (removed === "held") throw petHeld(petId);
      return entryResponse(petId, removed);
    },
    importPets(requests, context) {
      const how = { origin: recordOrigin(context, imported), pay: payFor(context) };
      return importStream(store, requests, how, storeContext(context));
    },
  };
}

const isTaken = (result: object | bigint | undefined): result is SkuTaken =>
  typeof result === "object" && "kind" in result;

/** @throws ConnectError not_found if there is no such pet */
function entryResponse(petId: bigint, entry: ListedEntry | undefined) {
  if (!entry) throw petNotFound(petId);
  return { entry };
}
