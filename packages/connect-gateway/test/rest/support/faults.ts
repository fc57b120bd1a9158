import { InvalidInput } from "../../../src/http/invalid-input.ts";
import { createJsonCodec, type JsonCodec } from "../../../src/rest/json/codec.ts";
import { type Sample, SampleSchema } from "../../gen/shelf/v1/shelf_pb.ts";
import { httpJson } from "./json.ts";

/** Returns an equal codec without compiled types, so that tests cover compiling too. */
function fresh({ style, readers }: JsonCodec): JsonCodec {
  return createJsonCodec(style, readers.registry);
}

/** Reads a sample. */
export function sample(json: string | Uint8Array, codec: JsonCodec = httpJson): Sample {
  return fresh(codec).decodeJson(SampleSchema, json);
}

/** Returns the error for the JSON of a sample, as `path: reason`. */
export function fault(json: string | Uint8Array, codec: JsonCodec = httpJson): string {
  try {
    sample(json, codec);
  } catch (error) {
    if (error instanceof InvalidInput) return `${error.path}: ${error.reason}`;
    throw error;
  }
  return "no fault";
}
