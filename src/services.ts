import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { AdminService } from "../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../gen/pets/v1/pets_pb.ts";
import { StoreService } from "../gen/store/v1/store_pb.ts";
import type { AdmissionStore } from "./access/admission-store.ts";
import { authorizerOf } from "./access/authorizer.ts";
import type { Caller } from "./access/caller.ts";
import { chargeOf } from "./access/charge.ts";
import { accountFunctions } from "./admin/account-functions.ts";
import { catalogueFunctions } from "./admin/catalogue-functions.ts";
import type { Method } from "./call/method.ts";
import { bindService, type Guards } from "./call/service.ts";
import { changeUncertain, fieldsInvalid } from "./errors.ts";
import { createOneAtATime } from "./inventory/idempotency.ts";
import { createInventoryService } from "./inventory/inventory-service.ts";
import type { Watching } from "./live/watching.ts";
import { createPetService } from "./pets/pet-service.ts";
import { compileValidator } from "./rules/validator.ts";
import { createStoreService } from "./store/store-service.ts";
import type { Stores } from "./stores.ts";

function createGuards(admission: AdmissionStore): Guards<Caller> {
  return {
    authorizer: authorizerOf,
    validator(desc) {
      const violationsOf = compileValidator(desc);
      return (request) => {
        const violations = violationsOf(request);
        if (violations.length > 0) {
          throw fieldsInvalid(violations);
        }
      };
    },
    explainer: (method) =>
      method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS ? undefined : changeUncertain,
    charger: (method) => chargeOf(method, admission),
  };
}

/** For those who call within the process: they call no streams. */
const nobodyWatches: Pick<Watching, "watchInventory"> = { async *watchInventory() {} };

/** All methods of all services, ready to be offered on any protocol. */
export function createMethods(
  { inventory, orders, accounts, admission }: Stores,
  { watchInventory } = nobodyWatches,
): Method<Caller>[] {
  const guards = createGuards(admission);
  // Idempotency keys are an account's, whatever the request: all services share what is in flight.
  const oneAtATime = createOneAtATime();
  const admin = { ...accountFunctions(accounts), ...catalogueFunctions(inventory, orders) };
  const stock = { ...createInventoryService(inventory, oneAtATime), watchInventory };
  return [
    ...bindService(InventoryService, stock, guards, { listInventory: inventory.prepareList }),
    ...bindService(PetService, createPetService(inventory), guards),
    ...bindService(StoreService, createStoreService(orders, oneAtATime), guards),
    ...bindService(AdminService, admin, guards),
  ];
}
