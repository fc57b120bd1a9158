import type { PetService } from "../../../gen/pets/v1/pets_pb.ts";
import type { Caller } from "../../access/caller.ts";
import type { ServiceFunctions } from "../../call/service.ts";
import type { Stores } from "../../stores/stores.ts";
import { petNotFound } from "../inventory/errors.ts";

/** Creates pets.v1.PetService, which is deprecated. */
export function createPetService(
  stores: Pick<Stores, "inventory">,
): ServiceFunctions<typeof PetService, Caller> {
  return {
    async getPet({ petId }, call) {
      const item = await stores.inventory.get(petId, call);
      if (!item) throw petNotFound(petId);
      return { pet: { petId, status: item.status } };
    },
  };
}
