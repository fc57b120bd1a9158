import type { DescMethod } from "@bufbuild/protobuf";
import type { ServiceImpl, Transport } from "@connectrpc/connect";
import type { GuardedRoutes } from "connect-gateway/call";
import { createLocalTransport } from "connect-gateway/client";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { type Caller, callerKey, type Operator } from "../access/caller.ts";
import { scopes } from "../access/scopes.ts";
import type { BanWatch } from "../admission/ban-watch.ts";
import { createCharge, storedCharge, streamCharge } from "../admission/charge.ts";
import type { Trail } from "../audit/audit-log.ts";
import { callRecordKey, newCallRecord, storeContext } from "../common/call-context.ts";
import type { Stores } from "../stores/stores.ts";
import { accountFunctions } from "./admin/account-functions.ts";
import { auditFunctions } from "./admin/audit-functions.ts";
import { holdFunctions } from "./admin/hold-functions.ts";
import { keyFunctions } from "./admin/key-functions.ts";
import { orderFunctions } from "./admin/order-functions.ts";
import { usageFunctions } from "./admin/usage-functions.ts";
import { createCatalogService } from "./catalog/catalog-service.ts";
import { createGuards, type GuardOptions } from "./guards.ts";
import { createChangeOnce } from "./inventory/change-once.ts";
import { petNotFound } from "./inventory/errors.ts";
import { createInventoryService } from "./inventory/inventory-service.ts";
import { createStoreService } from "./orders/store-service.ts";
import { createUsageService } from "./usage/usage-service.ts";
import type { UsageShipper } from "./usage/usage-shipper.ts";
import type { WatchService } from "./watch/watch-service.ts";

export interface ServiceOptions extends GuardOptions {
  /** Absent for callers within the process, which do not watch. */
  readonly watch?: Pick<WatchService, "watchInventory">;
  readonly bans?: BanWatch;
  /** Counts the requests of accounts. Absent when nothing is counted. */
  readonly usage?: UsageShipper;
  readonly trail: Trail;
}

/** Makes a transport to the services in this process, for an operator. Request limits do not apply. */
export function operatorTransport(
  stores: Stores,
  operator: Operator,
  options: ServiceOptions,
): Transport {
  const caller: Caller = { accountId: "", keyId: "", scopes: new Set(scopes), operator };
  return createLocalTransport(createServices(stores, options), (values) =>
    values.set(callerKey, caller).set(callRecordKey, newCallRecord()),
  );
}

/** All services that need an API key. */
export const services = [
  InventoryService,
  CatalogService,
  PetService,
  StoreService,
  UsageService,
  AdminService,
] as const;

export function createServices(stores: Stores, options: ServiceOptions) {
  const charge = createCharge(stores, options.bans, options.usage);
  const payFor = (method: DescMethod) => storedCharge(method, charge);
  const changeOnce = createChangeOnce();
  const usage = { stores, shipper: options.usage };
  const admin = {
    ...accountFunctions(stores),
    ...keyFunctions(stores),
    ...orderFunctions(stores),
    ...holdFunctions(stores, payFor),
    ...auditFunctions(stores),
    ...usageFunctions(usage),
  } satisfies ServiceImpl<typeof AdminService>;
  return {
    routes(router) {
      router.service(InventoryService, {
        ...createInventoryService(stores, changeOnce),
        ...options.watch,
      });
      const payForImport = streamCharge(CatalogService.method.importPets, charge);
      router.service(CatalogService, createCatalogService(stores.catalog, payForImport));
      // pets.v1.PetService is deprecated.
      router.service(PetService, {
        async getPet({ petId }, context) {
          const item = await stores.inventory.get(petId, storeContext(context));
          if (!item) throw petNotFound(petId);
          return { pet: { petId, status: item.status } };
        },
      });
      router.service(StoreService, createStoreService(stores, changeOnce, payFor));
      router.service(UsageService, createUsageService(usage));
      router.service(AdminService, admin);
    },
    guards: createGuards(options.trail, charge, options),
  } satisfies GuardedRoutes;
}
