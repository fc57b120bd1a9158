import { createJsonCodec, httpJsonStyle } from "connect-gateway/rest";
import { httpAnnotations } from "./annotations.ts";

/** The JSON of this service's HTTP API. */
export const httpJson = createJsonCodec({ ...httpJsonStyle, annotations: httpAnnotations });
