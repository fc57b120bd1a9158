import { create } from "@bufbuild/protobuf";
import { CatalogEntrySchema } from "../../gen/catalog/v1/catalog_pb.ts";
import type { CatalogEntry, ListedEntry } from "./catalog-store.ts";

/** Converts an entry to one of a list. It is frozen, so that lists can share it and the data derived from it. */
export function listedEntry({ petId, name, sku, status }: CatalogEntry): ListedEntry {
  return Object.freeze(create(CatalogEntrySchema, { petId, name, sku, status }) as ListedEntry);
}
