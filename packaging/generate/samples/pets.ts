import type { PetService } from "../../../gen/pets/v1/pets_pb.ts";
import { example, type SamplesOf } from "./sample.ts";

export const petSamples: SamplesOf<typeof PetService> = {
  getPet: {
    request: { petId: "1" },
    responses: example("pet", "A pet that is for sale.", { petId: 1, status: "available" }),
    largest: { "": ({ pets }) => ({ petId: pets(1, 600)[0] ?? "" }) },
  },
};
