import type { DescMessage } from "@bufbuild/protobuf";
import { within } from "../../http/invalid-input.ts";
import { type FieldPath, jsonPath, lastField, resolveFieldPath } from "../binding/field-path.ts";
import { type TextParser, textParser } from "../binding/scalar-text.ts";
import type { JsonStyle } from "../json/style.ts";
import { percentDecode, percentDecodeKeepingSlashes } from "./percent.ts";
import type { TemplateVariable } from "./template.ts";

/** A variable of a path template, bound to a field of the request message. */
export interface PathVariable extends TemplateVariable {
  readonly path: FieldPath;
  /** The field's path in JSON names, for error messages. */
  readonly name: string;
  readonly parse: TextParser;
}

/** Binds a variable to the field that it names. @throws Error when there is none, or it is repeated, a map or a message */
export function bindVariable(
  variable: TemplateVariable,
  input: DescMessage,
  style: JsonStyle,
): PathVariable {
  const path = resolveFieldPath(input, variable.fieldPath, style.annotations);
  const field = lastField(path);
  const parse = textParser(field, style);
  if (field.fieldKind === "list" || field.message || !parse) {
    throw new Error(`path variable ${variable.fieldPath} must be a singular scalar or enum field`);
  }
  return { ...variable, path, name: jsonPath(path), parse };
}

/** Reads a variable from the segments of a path, without the verb. @throws InvalidInput that names the field */
export function readVariable(variable: PathVariable, segments: readonly string[]): unknown {
  const { start, end, multi, name, parse } = variable;
  try {
    const raw = segments.slice(start, end < 0 ? undefined : end).join("/");
    return parse(multi ? percentDecodeKeepingSlashes(raw) : percentDecode(raw));
  } catch (error) {
    throw within(name, error);
  }
}

/** Checks that every segment can be decoded, also those of wildcards outside of variables. @throws InvalidInput */
export function checkSegments(segments: readonly string[]): void {
  try {
    for (const segment of segments) percentDecode(segment);
  } catch (error) {
    throw within("path", error);
  }
}
