import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Order, OrderSchema } from "../../../gen/store/v1/store_pb.ts";
import type { OrderRecord } from "../../stores/order-store.ts";

/** Converts a stored order to a message. */
export function orderMessage({ orderId, petId, quantity, status, placedAt }: OrderRecord): Order {
  return create(OrderSchema, {
    orderId,
    petId,
    quantity,
    status,
    placedAt: timestampFromMs(placedAt),
  });
}
