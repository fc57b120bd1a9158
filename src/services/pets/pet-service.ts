import type { ServiceImpl } from "@connectrpc/connect";
import type { PetService } from "../../../gen/pets/v1/pets_pb.ts";
import { storeContext } from "../../common/call-context.ts";
import type { Stores } from "../../stores/stores.ts";
import { petNotFound } from "../inventory/errors.ts";

/** Creates pets.v1.PetService, which is deprecated. */
export function createPetService(
  stores: Pick<Stores, "inventory">,
): ServiceImpl<typeof PetService> {
  return {
    async getPet({ petId }, context) {
      const item = await stores.inventory.get(petId, storeContext(context));
      if (!item) throw petNotFound(petId);
      return { pet: { petId, status: item.status } };
    },
  };
}
