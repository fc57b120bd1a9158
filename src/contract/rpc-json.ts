import { createJsonCodec, rpcJsonStyle } from "connect-gateway/rest";
import { rpcAnnotations } from "./annotations.ts";

export const rpcJson = createJsonCodec({ ...rpcJsonStyle, annotations: rpcAnnotations });
