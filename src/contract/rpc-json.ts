import { createJsonCodec, rpcJsonStyle } from "connect-gateway/rest";
import { rpcAnnotations } from "./annotations.ts";

/** The JSON of this service's RPC interface. */
export const rpcJson = createJsonCodec({ ...rpcJsonStyle, annotations: rpcAnnotations });
