import type { DescMethod } from "@bufbuild/protobuf";
import {
  type BeforeGate,
  type GateContext,
  type MapError,
  ownerKey,
  type RequestGate,
  type RequestInfo,
  requestOf,
} from "connect-gateway/call";
import { callerKey } from "../access/caller.ts";
import { type Network, networkOfIp } from "../access/network.ts";
import { type CallContext, callRecordKey, storeContext } from "../common/call-context.ts";
import type { Admitter, Applicant, Decision } from "./admission.ts";
import { batchCostOf, requestBoundsOf, subjectOf, type UnreadBatch } from "./batch-cost.ts";
import { credentialsOf } from "./credentials.ts";
import { setLimitHeaders } from "./limit-headers.ts";

export interface RequestGateOptions {
  readonly admitter: Pick<Admitter, "admit" | "lastLimits" | "wasAdmitted">;
  /**
   * Functions that begin reads which a method is likely to need. They are called while the caller is being admitted,
   * and only if this process has admitted the same key in the last seconds. They must not throw.
   */
  readonly prefetches?: ReadonlyMap<DescMethod, (call: CallContext) => void>;
  /** Returns what maps the errors of a method's calls (see Guards). */
  readonly errorMapper?: (method: DescMethod) => MapError | undefined;
}

/** Makes the gate that admits callers by their API keys, and sets their limits on the responses. */
export function createRequestGate(options: RequestGateOptions): RequestGate {
  const { admitter, prefetches, errorMapper } = options;
  const costs = new Map<DescMethod, ReturnType<typeof batchCostOf>>();

  /** Returns how many requests a call can count as; undefined when it counts as one. */
  function unreadBatch(method: DescMethod, context: GateContext): UnreadBatch | undefined {
    const cost = costs.getOrInsertComputed(method, batchCostOf);
    if (!cost) return undefined;
    const { declaredLength } = requestOf(context);
    const bounds = requestBoundsOf(cost, context.requestHeader, declaredLength);
    return { ...bounds, itemsPerRequest: cost.itemsPerRequest, subject: subjectOf(cost) };
  }

  /** Lets an admitted request pass. @throws ConnectError when it is refused */
  function decide(context: GateContext, decision: Decision): void {
    const { verdict, plan, caller, limits, refusal } = decision;
    const record = context.values.get(callRecordKey);
    if (record) {
      record.verdict = verdict;
      record.plan = plan;
      record.caller = caller;
    }
    setLimitHeaders(context, limits);
    if (refusal) throw refusal;
    context.values.set(callerKey, caller).set(ownerKey, caller.accountId);
  }

  return (context) => {
    const { method } = context;
    const applicant = new RequestApplicant(context, method && unreadBatch(method, context));
    const call = storeContext(context);
    const decided = admitter.admit(applicant, call);
    // Other clients must not cause reads before they are admitted.
    const prefetch = method && prefetches?.get(method);
    if (prefetch && admitter.wasAdmitted(applicant)) prefetch(call);
    return decided.then(
      (decision) => decide(context, decision),
      (error) => {
        setLastLimits(admitter, context, applicant);
        throw (method && errorMapper?.(method)?.(error, context)) ?? error;
      },
    );
  };
}

/** Tells the gateway what the headers say about a caller. */
export function beforeAdmission(admitter: Pick<Admitter, "callerOf">): BeforeGate {
  return {
    callerOf: (context) => admitter.callerOf(new RequestApplicant(context)),
    isAnonymous: (context) => new RequestApplicant(context).key === undefined,
  };
}

/** Sets the last limits of a caller on the response to a request that was not counted, if they are known. */
export function setLastLimits(
  admitter: Pick<Admitter, "lastLimits">,
  context: GateContext,
  applicant: Applicant = new RequestApplicant(context),
): void {
  const limits = admitter.lastLimits(applicant);
  if (limits) setLimitHeaders(context, limits);
}

class RequestApplicant implements Applicant {
  readonly request: RequestInfo;
  readonly key: Applicant["key"];
  readonly fault: Applicant["fault"];
  readonly batch: UnreadBatch | undefined;

  constructor(context: GateContext, batch?: UnreadBatch) {
    this.request = requestOf(context);
    this.batch = batch;
    const { key, fault } = credentialsOf(context.requestHeader.get("authorization") ?? undefined);
    this.key = key;
    this.fault = fault;
  }

  address(): string {
    return this.request.address;
  }

  network(): Network {
    return networkOfIp(this.request.ip);
  }
}
