import { createJsonCodec, httpJsonStyle, rpcJsonStyle } from "connect-gateway/rest";
import { httpAnnotations, rpcAnnotations } from "./annotations.ts";

export const httpJson = createJsonCodec({ ...httpJsonStyle, annotations: httpAnnotations });

export const rpcJson = createJsonCodec({ ...rpcJsonStyle, annotations: rpcAnnotations });
