import { InvalidInput } from "../../../src/rest/invalid-input.ts";
import { httpJson, type JsonForm } from "../../../src/rest/json-form.ts";
import { type Sample, SampleSchema } from "../gen/shelf/v1/shelf_pb.ts";

/** Reads a sample. */
export function sample(json: string | Uint8Array, form: JsonForm = httpJson): Sample {
  return form.decodeJson(SampleSchema, json);
}

/** What a client is told of the JSON of a sample, as `path: reason`. */
export function fault(json: string | Uint8Array, form: JsonForm = httpJson): string {
  try {
    sample(json, form);
  } catch (error) {
    if (error instanceof InvalidInput) return `${error.path}: ${error.reason}`;
    throw error;
  }
  return "no fault";
}
