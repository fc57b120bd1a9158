import { createJsonCodec, httpJsonStyle } from "connect-gateway/rest";
import { httpAnnotations } from "./annotations.ts";

export const httpJson = createJsonCodec({ ...httpJsonStyle, annotations: httpAnnotations });
