import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type HasValues, headersOf } from "connect-gateway/call";
import type { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { callRecordKey } from "../common/call-context.ts";
import type { RpcReason } from "./catalogue.ts";
import { reasonOf, serviceError } from "./errors.ts";

/** The name of the header that says whether the change of a failed request may have been made: `unchanged` or `unknown`. */
export const changeOutcomeHeader = "x-change-outcome";

/** What an error says about the change of a call that asks for one. */
const outcomes = {
  unchanged: "Nothing was changed.",
  unknown: "The change may or may not have been made.",
} as const;

/**
 * Extends the error of a call that asks for a change: its message, its ErrorInfo and its headers say whether the change may
 * have been made. This matters if the store was not available, the deadline passed, or the server shuts down.
 *
 * @param context of the call; absent if its change may have been made
 * @returns any other error, and one that was extended before, unchanged
 */
export function withChangeOutcome(error: unknown, context?: HasValues): unknown {
  if (!(error instanceof ConnectError) || changeOutcomeHeader in headersOf(error)) return error;
  const reason = uncertainReason(error);
  if (!reason) return error;
  const sent = context?.values.get(callRecordKey)?.changesSent;
  const changeOutcome = sent === 0 ? "unchanged" : "unknown";
  const [info, ...details] = error.details;
  // An import says there how many of its rows were applied before.
  const { metadata } = (info && "desc" in info ? info.value : {}) as MessageInitShape<
    typeof ErrorInfoSchema
  >;
  const [first = "", ...rest] = error.rawMessage.split(/(?<=\.) /);
  const message = [first, outcomes[changeOutcome], ...rest].join(" ");
  const extended = serviceError(reason, message, {
    metadata: { ...metadata, changeOutcome },
    headers: { ...headersOf(error), [changeOutcomeHeader]: changeOutcome },
    cause: error.cause,
  });
  extended.details = [...extended.details, ...details];
  return extended;
}

const uncertainReasons: readonly RpcReason[] = [
  "STORE_UNAVAILABLE",
  "STORE_FULL",
  "SERVER_DRAINING",
];

/** Returns the reason of an error that can end a call after its change was made; undefined for any other error. */
function uncertainReason(error: ConnectError): RpcReason | undefined {
  if (error.code === Code.DeadlineExceeded) return "DEADLINE_EXCEEDED";
  const reason = reasonOf(error);
  return uncertainReasons.find((each) => each === reason);
}
