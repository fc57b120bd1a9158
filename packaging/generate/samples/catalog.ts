import type { JsonObject } from "@bufbuild/protobuf";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { petExists, petHeld, skuTaken } from "../../../src/services/catalog/errors.ts";
import { example, longName, type SamplesOf } from "./sample.ts";

/** The entries of the sample data, and a new pet. */
const names: Readonly<Record<number, JsonObject>> = {
  1: { name: "Guinea pig", sku: "SM-101" },
  2: { name: "Budgerigar", sku: "BI-201" },
  100: { name: "Hermann's tortoise", sku: "RE-402" },
};

/** Gives pet 1 the SKU that another pet then asks for. */
const withSku = [[CatalogService.method.updatePet, { petId: "1", sku: "SM-101" }]] as const;

export const catalogSamples: SamplesOf<typeof CatalogService> = {
  listPets: {
    request: { pageSize: 100 },
    responses: example("catalog", "A catalogue of two pets.", [entry(1), entry(2, "pending")]),
    largest: {
      "the whole catalogue": "is served from memory, and grows with the catalogue",
      "the largest page": () => ({ pageSize: 1_000 }),
      "100 SKUs": ({ pets }) => ({ sku: pets(100).map((petId) => `SKU ${petId}`) }),
      "100 pets": ({ pets }) => ({ petIds: [...pets(100)] }),
    },
  },
  getPet: {
    request: { petId: "1" },
    responses: example("pet", "One entry.", entry(1)),
    largest: { "": ({ pets }) => ({ petId: pets(1, 600)[0] ?? "" }) },
  },
  createPet: {
    request: { petId: "100", ...names[100], quantity: 12, status: "PET_STATUS_AVAILABLE" },
    bodies: example("pet", "A new pet.", { petId: 100, ...names[100], quantity: 12 }),
    responses: example("pet", "The new entry.", entry(100)),
    errors: [
      { error: petExists(1n), request: { petId: "1" } },
      { error: skuTaken("SM-101", 1n), request: { petId: "7", sku: "SM-101" }, after: withSku },
    ],
    largest: {
      "": ({ number }) => ({
        ...{ petId: `${number()}`, quantity: 1_000_000_000 },
        ...{ name: longName, sku: `${number()}`.padEnd(64, "-") },
      }),
    },
  },
  updatePet: {
    request: { petId: "1", name: "Guinea pig", status: "PET_STATUS_PENDING" },
    bodies: example("sold", "The pet is sold.", { status: "sold" }),
    responses: example("sold", "After the change.", entry(1, "sold")),
    errors: [
      { error: skuTaken("SM-101", 1n), request: { petId: "2", sku: "SM-101" }, after: withSku },
    ],
    largest: {
      "": ({ index, pets, number }) => ({
        petId: pets(1, 600)[0] ?? "",
        ...{ name: longName, sku: `${number()}`.padEnd(64, "-") },
        status: index % 2 === 0 ? "PET_STATUS_PENDING" : "PET_STATUS_AVAILABLE",
      }),
    },
  },
  removePet: {
    request: { petId: "100" },
    responses: example("pet", "The entry as it was.", entry(100)),
    errors: [
      {
        error: petHeld(1n),
        request: { petId: "1" },
        after: [
          [StoreService.method.putHold, { holdId: "cart-7", items: [{ petId: "1", quantity: 1 }] }],
        ],
      },
    ],
    largest: { "": async ({ pet }) => ({ petId: await pet() }) },
  },
  importPets: {
    request: { pets: [{ petId: "1", quantity: 12, status: "PET_STATUS_AVAILABLE" }] },
    largest: { "": "is a stream, whose messages are counted one by one" },
  },
};

function entry(petId: number, status = "available"): JsonObject {
  return { petId, ...names[petId], status };
}
