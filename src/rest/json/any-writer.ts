import { fromBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { hasOwnJson } from "../binding/well-known-text.ts";
import type { JsonWriters } from "./message-writer.ts";
import type { ValueWriter } from "./scalar-writer.ts";

/**
 * Compiles the writer for google.protobuf.Any. The writer throws a TypeError for a type that is not in the
 * registry.
 */
export function anyWriter({ registry, message }: JsonWriters): ValueWriter {
  return (any) => {
    const { typeUrl, value } = any as Any;
    if (typeUrl === "") return "{}";
    const desc = registry?.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    if (!desc) throw new TypeError(`google.protobuf.Any of unknown type ${typeUrl}`);
    const json = message(desc)(fromBinary(desc, value));
    const type = `{"@type":${JSON.stringify(typeUrl)}`;
    if (hasOwnJson(desc)) return `${type},"value":${json}}`;
    return json === "{}" ? `${type}}` : `${type},${json.slice(1)}`;
  };
}
