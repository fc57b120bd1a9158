import { hasOption } from "@bufbuild/protobuf";
import type { Annotations } from "../../../src/call/annotations.ts";
import { noAnnotations } from "../../../src/call/annotations.ts";
import { createJsonCodec } from "../../../src/rest/json/codec.ts";
import { httpJsonStyle, protoJsonStyle, rpcJsonStyle } from "../../../src/rest/json/style.ts";
import { event_id, rpc_only } from "../../gen/shelf/v1/options_pb.ts";

/** The options of the shelf. */
const annotations: Annotations = {
  ...noAnnotations,
  isRpcOnly: (field) => hasOption(field, rpc_only),
  isEventId: (field) => hasOption(field, event_id),
};

export const httpJson = createJsonCodec({ ...httpJsonStyle, annotations });
export const protoJson = createJsonCodec({ ...protoJsonStyle, annotations });
export const rpcJson = createJsonCodec(rpcJsonStyle);
