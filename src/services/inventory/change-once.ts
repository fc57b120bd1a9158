import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { type HasValues, requestOf } from "connect-gateway/call";
import { ChangeReason, ChangeReasonSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { callerOf } from "../../access/caller.ts";
import { callRecordKey } from "../../common/call-context.ts";
import { enumWord } from "../../common/enum-word.ts";
import { present } from "../../common/present.ts";
import type { ChangeRequest, KeyReused, Origin, Outcome } from "../../stores/stock-change.ts";
import { idempotencyKeyReused } from "./errors.ts";
import { createOneAtATime, idempotencyOf } from "./idempotency.ts";
import { checkStrict } from "./write-policy.ts";

export interface ChangeFields {
  readonly reason?: ChangeReason;
  readonly note?: string;
  readonly reference?: string;
}

/** Returns the origin of a change, and notes its reason in the record of the request. */
export function recordOrigin(context: HasValues, fields: ChangeFields = {}): Origin {
  const { accountId, keyId } = callerOf(context);
  const record = context.values.get(callRecordKey);
  const { reason: given, note = "", reference = "" } = fields;
  const reason = given || ChangeReason.ADJUSTMENT;
  if (record) record.changed = enumWord(ChangeReasonSchema, reason);
  return { reason, note, reference, accountId, keyId, requestId: requestOf(context).id };
}

/** A call that changes the stock, and can have an idempotency key. */
export interface KeyedCall<D extends DescMessage> {
  readonly method: DescMethod & { readonly input: D };
  readonly request: MessageShape<D> & ChangeFields & { readonly idempotencyKey: string };
  readonly context: HandlerContext;
}

/**
 * Changes the stock once for each idempotency key. A repeated request gets the same response or error as the first, with
 * the header `Idempotency-Replayed: true`.
 *
 * @param respond makes the response from the outcome; throws the error of a refusal
 * @param fields what describes the change, if it is not in the request
 * @throws ConnectError when the idempotency key is invalid or in use, or the write policy does not allow the request,
 * and any error that `respond` throws
 */
export type ChangeOnce = <D extends DescMessage, T, R>(
  call: KeyedCall<D>,
  make: (change: ChangeRequest) => Promise<Outcome<T>>,
  respond: (outcome: T) => R,
  fields?: ChangeFields,
) => Promise<R>;

/** Makes the function. Keys belong to an account, whatever the service, so all services share one such function. */
export function createChangeOnce(): ChangeOnce {
  const oneAtATime = createOneAtATime();
  return async ({ method, request, context }, make, respond, fields = request) => {
    const origin = recordOrigin(context, fields);
    const idempotency = idempotencyOf(method, request, context.requestHeader);
    if (callerOf(context).isStrict) checkStrict(request, context.requestHeader, idempotency);
    const outcome = await oneAtATime(origin.accountId, idempotency, () =>
      make({ origin, idempotency }),
    );
    if (outcome.replayed) {
      context.responseHeader.set("Idempotency-Replayed", "true");
      const record = context.values.get(callRecordKey);
      if (record) record.isReplay = true;
    }
    if (!isKeyReused(outcome)) return respond(outcome);
    throw idempotencyKeyReused(present(idempotency?.key, "the idempotency key"));
  };
}

function isKeyReused<T>(outcome: Outcome<T>): outcome is Extract<Outcome<T>, KeyReused> {
  return (outcome as { kind?: unknown }).kind === "key_reused";
}
