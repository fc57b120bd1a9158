import { event_id, output_only, rpc_only } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../call/option.ts";
import { createJsonCodec } from "../rest/json/codec.ts";
import { httpJsonStyle } from "../rest/json/style.ts";

/** The JSON of this service's HTTP API. It follows the options of rules.v1. */
export const httpJson = createJsonCodec({
  ...httpJsonStyle,
  annotations: {
    isRpcOnly: (field) => optionOf(field, rpc_only),
    isOutputOnly: (value) => optionOf(value, output_only),
    isEventId: (field) => optionOf(field, event_id),
  },
});
