import { InvalidInput } from "../../../src/rest/invalid-input.ts";
import { createJsonForm, httpJson, type JsonForm } from "../../../src/rest/json-form.ts";
import { type Sample, SampleSchema } from "../gen/shelf/v1/shelf_pb.ts";

/** The same form, with nothing compiled yet: what compiles readers and writers is then tested, too. */
export function fresh({ dialect, readers }: JsonForm): JsonForm {
  return createJsonForm(dialect, readers.registry);
}

/** Reads a sample. */
export function sample(json: string | Uint8Array, form: JsonForm = httpJson): Sample {
  return fresh(form).decodeJson(SampleSchema, json);
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
