import type { DescMessage } from "@bufbuild/protobuf";
import { type FieldPath, jsonPath, lastField, resolveFieldPath } from "./field-path.ts";
import { InvalidInput, within } from "./invalid-input.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { percentDecode, percentDecodeKeepingSlashes } from "./percent.ts";
import { type TextParser, textParser } from "./scalar-text.ts";
import type { TemplateVariable } from "./template.ts";

/** A variable of a path template, bound to a field of the request message. */
export interface PathVariable extends TemplateVariable {
  readonly path: FieldPath;
  /** How clients know the field: JSON names. */
  readonly name: string;
  readonly parse: TextParser;
}

/**
 * Binds a template's variable to the field that it names.
 *
 * @throws Error when there is no such field, or it is repeated, a map or a message
 */
export function bindVariable(
  variable: TemplateVariable,
  input: DescMessage,
  dialect: JsonDialect,
): PathVariable {
  const path = resolveFieldPath(input, variable.fieldPath);
  const field = lastField(path);
  const parse = textParser(field, dialect);
  if (field.fieldKind === "list" || field.message || !parse) {
    throw new Error(`path variable ${variable.fieldPath} is repeated, a map or a message`);
  }
  return { ...variable, path, name: jsonPath(path), parse };
}

/**
 * Reads a variable's value from the segments of a path.
 *
 * @param segments as sent, without the verb
 * @throws InvalidInput that names the field
 */
export function readVariable(variable: PathVariable, segments: readonly string[]): unknown {
  const { start, end, multi, name, parse } = variable;
  try {
    const raw = segments.slice(start, end < 0 ? undefined : end).join("/");
    return parse(decodePathText(raw, multi));
  } catch (error) {
    throw within(name, error);
  }
}

function decodePathText(raw: string, multi: boolean): string {
  const text = multi ? percentDecodeKeepingSlashes(raw) : percentDecode(raw);
  if (typeof text !== "string") throw new InvalidInput(text.fault);
  return text;
}

/**
 * Checks the segments that no variable reads, too: a wildcard takes any text, but text it must be.
 *
 * @throws InvalidInput
 */
export function checkSegments(segments: readonly string[]): void {
  for (const segment of segments) {
    try {
      decodePathText(segment, false);
    } catch (error) {
      throw within("path", error);
    }
  }
}
