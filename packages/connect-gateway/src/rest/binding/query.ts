import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { InvalidInput, within } from "../../http/invalid-input.ts";
import { maxJsonDepth } from "../json/cursor.ts";
import type { JsonStyle } from "../json/style.ts";
import { percentDecode } from "../path/percent.ts";
import { type FieldPath, holderOf, jsonPath, messageBehind } from "./field-path.ts";
import { type AnyMessage, fieldsByName, setField } from "./message-field.ts";
import { type TextParser, textParser } from "./scalar-text.ts";

const maxParameters = 200;

/** A field that query parameters can name: with a value of its own, or with fields inside it. */
interface QueryField {
  readonly field: DescField;
  readonly parse: TextParser | undefined;
  readonly inner: QueryFields | undefined;
}

/** The fields of a message that query parameters can name, by JSON name and by proto name. */
export type QueryFields = ReadonlyMap<string, QueryField>;

/** Compiles the query fields of a message type. @param compiled by type, because types may be recursive */
export function queryFieldsOf(
  desc: DescMessage,
  style: JsonStyle,
  compiled = new Map<DescMessage, QueryFields>(),
): QueryFields {
  const known = compiled.get(desc);
  if (known) return known;
  const fields = new Map<string, QueryField>();
  compiled.set(desc, fields);
  for (const [name, field] of fieldsByName(desc, style.annotations)) {
    const parse = textParser(field, style);
    const behind = messageBehind(field);
    fields.set(name, { field, parse, inner: behind && queryFieldsOf(behind, style, compiled) });
  }
  return fields;
}

interface QueryScope {
  readonly body: DescField | "*" | undefined;
  readonly variables: readonly { readonly path: FieldPath }[];
}

/**
 * Reads query parameters into a message. Their names are paths of JSON or proto names. A repeated field is a repeated parameter.
 * `+` is a space, as in HTML forms.
 *
 * @param query the request target after `?`
 * @throws InvalidInput that names the parameter
 */
export function readQuery(
  query: string,
  message: AnyMessage,
  fields: QueryFields,
  scope: QueryScope,
): void {
  const given = new Set<string>();
  const pairs = query.split("&", maxParameters + 1);
  if (pairs.length > maxParameters) {
    throw new InvalidInput(`must have at most ${maxParameters} parameters`, "query");
  }
  for (const pair of pairs) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    let name = "query";
    try {
      name = decode(equals < 0 ? pair : pair.slice(0, equals));
      const text = equals < 0 ? "" : decode(pair.slice(equals + 1));
      const { path, field, parse } = findParameter(name, fields);
      rejectIfElsewhere(path, scope);
      const value = parse(text);
      const holder = holderOf(message, path);
      if (field.fieldKind === "list") {
        (holder[field.localName] as unknown[]).push(value);
        continue;
      }
      const canonical = jsonPath(path);
      if (given.has(canonical)) throw new InvalidInput("is given twice; send it once");
      given.add(canonical);
      setField(holder, field, value);
    } catch (error) {
      throw within(name, error);
    }
  }
}

function decode(raw: string): string {
  return /[%+]/.test(raw) ? percentDecode(raw.replaceAll("+", " ")) : raw;
}

function findParameter(
  name: string,
  fields: QueryFields,
): { path: FieldPath; field: DescField; parse: TextParser } {
  let inner: QueryFields | undefined = fields;
  let found: QueryField | undefined;
  const path: DescField[] = [];
  // The limit is that of nested JSON. It is needed because recursive messages allow paths of any length.
  for (const step of name.split(".", maxJsonDepth + 1)) {
    found = path.length < maxJsonDepth ? inner?.get(step) : undefined;
    if (!found) break;
    path.push(found.field);
    inner = found.inner;
  }
  if (!found?.parse) throw new InvalidInput("unknown query parameter");
  return { path, field: found.field, parse: found.parse };
}

function rejectIfElsewhere(path: FieldPath, { variables, body }: QueryScope): void {
  if (variables.some((variable) => variable.path.every((field, index) => field === path[index]))) {
    throw new InvalidInput("is already in the path; remove it from the query");
  }
  if (body === "*" || body === path[0]) {
    throw new InvalidInput("must be in the request body, not in the query");
  }
}
