import type { DescMethod } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { AnyMessage, Guards, HasValues, MapError } from "connect-gateway/call";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { authorizerOf } from "../access/authorizer.ts";
import { callerOf } from "../access/caller.ts";
import { type ChargeItems, chargeOf } from "../admission/charge.ts";
import type { Trail } from "../audit/audit-log.ts";
import { type Recorder, recorderOf } from "../audit/call-recorder.ts";
import type { RefusalCounter } from "../audit/refusals.ts";
import { recordedSometimes } from "../audit/repeated-reads.ts";
import { isRead } from "../contract/annotations.ts";
import { withChangeOutcome } from "../contract/change-outcome.ts";
import { fieldsInvalid } from "../contract/errors.ts";
import { checkTag, preconditionCheck } from "../contract/preconditions.ts";
import { compileValidator } from "../contract/validator.ts";

type Recorded =
  /** All calls of AdminService, and changes of CatalogService, for a server. */
  | "operator_calls"
  /** All changes by any service, for an operator's commands. */
  | "changes";

export interface GuardOptions {
  /** Counts the calls of AdminService without its scope. */
  readonly refusals?: RefusalCounter;
  /** `operator_calls` when absent. */
  readonly recorded?: Recorded;
}

/** Makes the guards of all methods: scope, preconditions, rules of the contract, cost and audit trail, in this order. */
export function createGuards(
  trail: Trail,
  charge: ChargeItems,
  { refusals, recorded = "operator_calls" }: GuardOptions,
): Guards {
  const recorders = new Map<DescMethod, Recorder | undefined>();
  const recorderFor = (method: DescMethod) =>
    recorders.getOrInsertComputed(method, () => makeRecorder(trail, method, recorded));

  return {
    before(method) {
      const authorize = authorizerFor(method, refusals);
      const check = method.methodKind === "client_streaming" && preconditionCheck(method);
      if (!check) return authorize;
      return (context) => {
        authorize(context);
        check(context.requestHeader);
      };
    },
    message(method) {
      const check = checkFor(method, charge);
      const recorder = method.methodKind === "unary" && recorderFor(method);
      if (!recorder) return check;
      return async (request, context) => {
        try {
          await check(request, context);
        } catch (error) {
          await recorder.refuse(request, context, error);
          throw error;
        }
      };
    },
    around(method) {
      const recorder = recorderFor(method);
      const hasTag = method.methodKind === "unary" && isRead(method);
      if (!recorder) return hasTag ? checkTag : undefined;
      return (request, context, next) => {
        const message = Symbol.asyncIterator in request ? undefined : request;
        const work = () => (hasTag ? checkTag(request, context, next) : next(request, context));
        return recorder.record(message, context, work);
      };
    },
    error: errorMapper,
  };
}

/** Returns what the errors of a method say in addition: whether its change may have been made. */
export function errorMapper(method: DescMethod): MapError | undefined {
  return isRead(method) ? undefined : withChangeOutcome;
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

/** Returns the check of a message: of the headers that came with it, by the rules of the contract, and of its cost. */
function checkFor(method: DescMethod, charge: ChargeItems) {
  const violationsOf = compileValidator(method.input);
  const validate = (request: AnyMessage) => {
    const violations = violationsOf(request);
    if (violations.length > 0) throw fieldsInvalid(violations);
  };
  if (method.methodKind === "client_streaming") return validate;
  const checkHeaders = preconditionCheck(method);
  const pay = chargeOf(method, charge);
  return (request: AnyMessage, context: HandlerContext) => {
    checkHeaders?.(context.requestHeader);
    validate(request);
    return pay?.(request, context);
  };
}

function makeRecorder(trail: Trail, method: DescMethod, recorded: Recorded): Recorder | undefined {
  const { parent } = method;
  const isRecorded = parent === AdminService || (parent === CatalogService && !isRead(method));
  if (recorded === "changes" ? isRead(method) : !isRecorded) return undefined;
  const recorder = recorderOf(trail, method);
  return polledMethods.has(method) ? recordedSometimes(recorder) : recorder;
}

/** Methods that clients call again and again to show what is new. */
export const polledMethods: ReadonlySet<DescMethod> = new Set([
  AdminService.method.listAuditEntries,
  AdminService.method.getAccountUsage,
  AdminService.method.listTopAccounts,
  AdminService.method.listBans,
]);
