import { type DescEnum, type DescEnumValue, type DescMethod, hasOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { type Annotations, optionOf } from "connect-gateway/call";
import { bounds, event_id, output_only, rpc_only } from "../../gen/rules/v1/rules_pb.ts";

/** The options of rules.v1, for JSON over HTTP. */
export const httpAnnotations: Annotations = {
  isRpcOnly: (field) => optionOf(field, rpc_only),
  isOutputOnly: (value) => optionOf(value, output_only),
  isEventId: (field) => optionOf(field, event_id),
  boundsOf: (field) => (hasOption(field, bounds) ? optionOf(field, bounds) : undefined),
};

/** The same for RPC, which has all fields. */
export const rpcAnnotations: Annotations = {
  ...httpAnnotations,
  isRpcOnly: () => false,
  isEventId: () => false,
};

/** Returns the values of an enum that requests can have: those without rules.v1.output_only. */
export function acceptedValues(desc: DescEnum): DescEnumValue[] {
  return desc.values.filter((value) => !httpAnnotations.isOutputOnly(value));
}

/** Whether the calls of a method change nothing, by its option `idempotency_level`. */
export function isRead({ idempotency }: DescMethod): boolean {
  return idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
}
