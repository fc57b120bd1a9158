import type { JsonObject } from "@bufbuild/protobuf";
import type { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { petExists, petHeld } from "../../../src/services/catalog/errors.ts";
import { example, type SamplesOf } from "./sample.ts";

export const catalogSamples: SamplesOf<typeof CatalogService> = {
  listPets: {
    request: { pageSize: 100 },
    responses: example("catalog", "A catalogue of two pets.", [entry(1), entry(2, "pending")]),
    largest: {
      "the whole catalogue": "is served from memory, and grows with the catalogue",
      "the largest page": () => ({ pageSize: 1_000 }),
    },
  },
  getPet: {
    request: { petId: "1" },
    responses: example("pet", "One entry.", entry(1)),
    largest: { "": ({ pets }) => ({ petId: pets(1, 600)[0] ?? "" }) },
  },
  createPet: {
    request: { petId: "100", quantity: 12, status: "PET_STATUS_AVAILABLE" },
    bodies: example("pet", "A new pet.", { petId: 100, quantity: 12 }),
    responses: example("pet", "The new entry.", entry(100)),
    errors: [{ error: petExists(1n), request: { petId: "1" } }],
    largest: { "": ({ number }) => ({ petId: `${number()}`, quantity: 1_000_000_000 }) },
  },
  updatePet: {
    request: { petId: "1", status: "PET_STATUS_PENDING" },
    bodies: example("sold", "The pet is sold.", { status: "sold" }),
    responses: example("sold", "After the change.", entry(1, "sold")),
    largest: {
      "": ({ index, pets }) => ({
        petId: pets(1, 600)[0] ?? "",
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
  return { petId, status };
}
