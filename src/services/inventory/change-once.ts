import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import { ChangeReason, ChangeReasonSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../../access/caller.ts";
import { enumWord } from "../../call/enum-word.ts";
import type { Call } from "../../call/method.ts";
import { present } from "../../call/present.ts";
import { idempotencyKeyReused } from "../../contract/errors.ts";
import type { ChangeRequest, Conditions, Origin, Outcome } from "../../stores/stock-change.ts";
import { idempotencyOf, type OneAtATime } from "./idempotency.ts";
import { acceptedVersions, excludedVersions } from "./if-match.ts";

/** Fields of a request that describe its change. */
interface ChangeFields {
  readonly reason?: ChangeReason;
  readonly note?: string;
  readonly reference?: string;
}

/** Returns the origin of a change, and notes its reason in the record of the request. */
export function originOf(
  { caller, requestId, record }: Pick<Call<Caller>, "caller" | "requestId" | "record">,
  fields: ChangeFields,
): Origin {
  const reason = fields.reason || ChangeReason.ADJUSTMENT;
  if (record) record.changed = enumWord(ChangeReasonSchema, reason);
  return {
    reason,
    note: fields.note ?? "",
    reference: fields.reference ?? "",
    accountId: caller.accountId,
    keyId: caller.keyId,
    requestId,
  };
}

/**
 * Returns the conditions of a change: those of the message, and of the headers If-Match and If-None-Match.
 *
 * @throws ConnectError invalid_argument when a header is malformed
 */
export function conditionsOf(
  { requestHeaders }: Call<Caller>,
  { expectedVersion, expectedQuantity }: { expectedVersion?: bigint; expectedQuantity?: number },
): Conditions {
  const accepted = acceptedVersions(requestHeaders.get("if-match"));
  const excluded = excludedVersions(requestHeaders.get("if-none-match"));
  if (excluded === "all") return { expectedVersions: [], expectedQuantity };
  const given = expectedVersion === undefined ? accepted : [expectedVersion];
  if (given === undefined) return { excludedVersions: excluded, expectedQuantity };
  const expectedVersions = given.filter(
    (version) => accepted?.includes(version) !== false && excluded?.includes(version) !== true,
  );
  return { expectedVersions, expectedQuantity };
}

/**
 * Changes the stock, once for each idempotency key. A repeated request gets the same response or error as the first,
 * with the header `Idempotency-Replayed: true`.
 *
 * @param make makes the change
 * @param respond makes the response from the outcome; throws the error of a refusal
 * @throws ConnectError when the idempotency key is invalid or in use, and any error that `respond` throws
 */
export async function changeOnce<D extends DescMessage, T, R>(
  oneAtATime: OneAtATime,
  call: Call<Caller>,
  method: DescMethod & { readonly input: D },
  request: MessageShape<D> & ChangeFields & { readonly idempotencyKey: string },
  make: (change: ChangeRequest) => Promise<Outcome<T>>,
  respond: (outcome: T) => R,
): Promise<R> {
  const origin = originOf(call, request);
  const idempotency = idempotencyOf(method, request, call.requestHeaders);
  const outcome = await oneAtATime(origin.accountId, idempotency, () =>
    make({ origin, idempotency }),
  );
  if (outcome.replayed) {
    call.setHeader("Idempotency-Replayed", "true");
    if (call.record) call.record.isReplay = true;
  }
  if (isKeyReused(outcome))
    throw idempotencyKeyReused(present(idempotency?.key, "the idempotency key"));
  return respond(outcome);
}

function isKeyReused<T>(
  outcome: Outcome<T>,
): outcome is Extract<Outcome<T>, { kind: "key_reused" }> {
  return (outcome as { kind?: unknown }).kind === "key_reused";
}
