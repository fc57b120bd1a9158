import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Hold, HoldSchema } from "../../../gen/store/v1/store_pb.ts";
import type { HoldRecord } from "../../stores/hold-store.ts";

/** Converts a stored hold to a message. */
export function holdMessage({ holdId, items, state, expiresAt, orderIds }: HoldRecord): Hold {
  return create(HoldSchema, {
    holdId,
    items: [...items],
    state,
    expiresAt: timestampFromMs(expiresAt),
    orderIds: [...orderIds],
  });
}
