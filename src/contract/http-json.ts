import { getOption } from "@bufbuild/protobuf";
import { event_id, output_only, rpc_only } from "../../gen/rules/v1/rules_pb.ts";
import { createJsonCodec } from "../rest/json/codec.ts";
import { httpJsonStyle } from "../rest/json/style.ts";

/** The JSON of this service's HTTP API. It follows the options of rules.v1. */
export const httpJson = createJsonCodec({
  ...httpJsonStyle,
  annotations: {
    isRpcOnly: (field) => getOption(field, rpc_only),
    isOutputOnly: (value) => getOption(value, output_only),
    isEventId: (field) => getOption(field, event_id),
  },
});
