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
import { createStoreService } from "./orders/store-service.ts";
import { createPetService } from "./pets/pet-service.ts";
import { compileValidator } from "./rules/validator.ts";
import type { Stores } from "./stores.ts";
import type { WatchService } from "./watch/watch-service.ts";

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
    errorMapper: (method) =>
      method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS ? undefined : changeUncertain,
    charger: (method) => chargeOf(method, admission),
  };
}

/** For callers within the process, which do not call streams. */
const noWatchService: Pick<WatchService, "watchInventory"> = { async *watchInventory() {} };

/** Creates the methods of all services that need an API key. */
export function createMethods(
  { inventory, orders, accounts, admission }: Stores,
  { watchInventory } = noWatchService,
): Method<Caller>[] {
  const guards = createGuards(admission);
  // Idempotency keys belong to an account, whatever the service, so all services share the open requests.
  const oneAtATime = createOneAtATime();
  const admin = { ...accountFunctions(accounts), ...catalogueFunctions(inventory, orders) };
  const stock = { ...createInventoryService(inventory, oneAtATime), watchInventory };
  return [
    ...bindService(InventoryService, stock, guards),
    ...bindService(PetService, createPetService(inventory), guards),
    ...bindService(StoreService, createStoreService(orders, oneAtATime), guards),
    ...bindService(AdminService, admin, guards),
  ];
}
