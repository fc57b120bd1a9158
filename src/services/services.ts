import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import type { BanWatch } from "../access/admission/ban-watch.ts";
import {
  type ChargeItems,
  chargeOf,
  createCharge,
  storedCharge,
} from "../access/admission/charge.ts";
import { authorizerOf } from "../access/authorizer.ts";
import { callerOf } from "../access/caller.ts";
import { createTrail, type Trail } from "../audit/audit-log.ts";
import { recorderOf } from "../audit/call-recorder.ts";
import type { RefusalCounter } from "../audit/refusals.ts";
import { recordedSometimes } from "../audit/repeated-reads.ts";
import type { MapError } from "../call/method.ts";
import type { HasValues } from "../call/request-info.ts";
import type { GuardedRoutes, Guards, Recorder } from "../call/routes.ts";
import { withChangeOutcome } from "../contract/change-outcome.ts";
import { fieldsInvalid } from "../contract/errors.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { compileValidator } from "../contract/validator.ts";
import type { Stores } from "../stores/stores.ts";
import { accountFunctions } from "./admin/account-functions.ts";
import { auditFunctions } from "./admin/audit-functions.ts";
import { catalogueFunctions } from "./admin/catalogue-functions.ts";
import { holdFunctions } from "./admin/hold-functions.ts";
import { keyFunctions } from "./admin/key-functions.ts";
import { orderFunctions } from "./admin/order-functions.ts";
import { usageFunctions } from "./admin/usage-functions.ts";
import { createOneAtATime } from "./inventory/idempotency.ts";
import { createInventoryService } from "./inventory/inventory-service.ts";
import { createStoreService } from "./orders/store-service.ts";
import { createPetService } from "./pets/pet-service.ts";
import type { UsageShipper } from "./usage/usage-counter.ts";
import { createUsageService } from "./usage/usage-service.ts";
import type { WatchService } from "./watch/watch-service.ts";

/** Which calls the audit trail has. */
type Recorded =
  /** All calls of AdminService, for a server. */
  | "admin_calls"
  /** All changes by any service, for an operator's commands. */
  | "changes";

/** Options of the services. */
export interface ServiceOptions {
  /** Absent for callers within the process, which do not call streams. */
  readonly watch?: Pick<WatchService, "watchInventory">;
  /** Counts the calls of AdminService without its scope. */
  readonly refusals?: RefusalCounter;
  /** Learns of bans that calls cause. */
  readonly bans?: BanWatch;
  /** Counts the requests of accounts. Absent when nothing is counted. */
  readonly usage?: UsageShipper;
  /** `admin_calls` when absent. */
  readonly recorded?: Recorded;
  /** Gets the entries of the audit trail. When absent, no log has them. */
  readonly trail?: Trail;
}

function createGuards(stores: Stores, options: ServiceOptions, charge: ChargeItems): Guards {
  const { trail = createTrail(stores, () => {}), recorded = "admin_calls" } = options;
  return {
    authorizer: (method) => authorizerFor(method, options.refusals),
    recorder: (method) => recorderFor(trail, method, recorded),
    validator(desc) {
      const violationsOf = compileValidator(desc);
      return (request) => {
        const violations = violationsOf(request);
        if (violations.length > 0) throw fieldsInvalid(violations);
      };
    },
    errorMapper,
    headerCheck: checkPreconditions,
    charger: (method) => chargeOf(method, charge),
  };
}

/** Returns what the errors of a method say in addition: whether its change may have been made. */
export function errorMapper(method: DescMethod): MapError | undefined {
  return method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS ? undefined : withChangeOutcome;
}

/** Returns the check of a method's scope. It counts refused calls of AdminService. */
function authorizerFor(method: DescMethod, refusals: RefusalCounter | undefined) {
  const authorize = authorizerOf(method);
  if (!refusals || method.parent !== AdminService) {
    return (context: HasValues) => authorize(callerOf(context));
  }
  return (context: HasValues) => {
    const caller = callerOf(context);
    try {
      authorize(caller);
    } catch (error) {
      refusals.count(caller);
      throw error;
    }
  };
}

function recorderFor(trail: Trail, method: DescMethod, recorded: Recorded): Recorder | undefined {
  const isRead = method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
  if (recorded === "changes" ? isRead : method.parent !== AdminService) return undefined;
  const recorder = recorderOf(trail, method);
  return polledMethods.has(method) ? recordedSometimes(recorder) : recorder;
}

/** Methods that clients call again and again to show what is new. */
const polledMethods: ReadonlySet<DescMethod> = new Set([
  AdminService.method.listAuditEntries,
  AdminService.method.getAccountUsage,
  AdminService.method.listTopAccounts,
  AdminService.method.listBans,
]);

/** Creates all services that need an API key, with their guards. */
export function createServices(stores: Stores, options: ServiceOptions = {}) {
  const charge = createCharge(stores, options.bans, options.usage);
  const payFor = (method: DescMethod) => storedCharge(method, charge);
  // Idempotency keys belong to an account, whatever the service, so all services share the open requests.
  const oneAtATime = createOneAtATime();
  const { ship, shipAll } = options.usage ?? {};
  const usage = { stores, ship, shipAll };
  const admin = {
    ...accountFunctions(stores),
    ...keyFunctions(stores),
    ...catalogueFunctions(stores),
    ...orderFunctions(stores),
    ...holdFunctions(stores, payFor),
    ...auditFunctions(stores),
    ...usageFunctions(usage),
  };
  return {
    routes(router) {
      router.service(InventoryService, {
        ...createInventoryService(stores, oneAtATime),
        ...options.watch,
      });
      router.service(PetService, createPetService(stores));
      router.service(StoreService, createStoreService(stores, oneAtATime, payFor));
      router.service(UsageService, createUsageService(usage));
      router.service(AdminService, admin);
    },
    guards: createGuards(stores, options, charge),
  } satisfies GuardedRoutes;
}
