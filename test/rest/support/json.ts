import { httpJson } from "../../../src/contract/http-json.ts";
import { createJsonCodec } from "../../../src/rest/json/codec.ts";
import { protoJsonStyle } from "../../../src/rest/json/style.ts";

export { httpJson };

/** ProtoJSON of a contract with options of rules.v1, like that of the shelf. */
export const protoJson = createJsonCodec({
  ...protoJsonStyle,
  annotations: httpJson.style.annotations,
});
