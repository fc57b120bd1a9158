import { output_only } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../call/option.ts";
import { createJsonCodec } from "../rest/json/codec.ts";
import { rpcJsonStyle } from "../rest/json/style.ts";

/** The JSON of this service's RPC interface. It follows rules.v1.output_only. */
export const rpcJson = createJsonCodec({
  ...rpcJsonStyle,
  annotations: {
    ...rpcJsonStyle.annotations,
    isOutputOnly: (value) => optionOf(value, output_only),
  },
});
