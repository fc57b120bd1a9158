import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type FieldPath, holderOf, jsonPath, leadsTo, messageBehind } from "./field-path.ts";
import { InvalidInput, within } from "./invalid-input.ts";
import { maxJsonDepth } from "./json-cursor.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { type AnyMessage, fieldsByName, setField } from "./message-field.ts";
import { percentDecode } from "./percent.ts";
import { type TextParser, textParser } from "./scalar-text.ts";

/** The most parameters of a query: far more than any interface has use for. */
const maxParameters = 200;

/** A field as query parameters see it: with a text of its own, or with fields inside it. */
interface QueryField {
  readonly field: DescField;
  readonly parse: TextParser | undefined;
  readonly inner: QueryFields | undefined;
}

/** The fields of a message that query parameters can name, by JSON name and by proto name. */
export type QueryFields = ReadonlyMap<string, QueryField>;

/** Makes the table of fields for each message, once. A message that contains itself is no matter. */
export function createQueryFields(dialect: JsonDialect): (desc: DescMessage) => QueryFields {
  const compiled = new Map<DescMessage, Map<string, QueryField>>();
  return function fieldsOf(desc): QueryFields {
    const known = compiled.get(desc);
    if (known) return known;
    const fields = new Map<string, QueryField>();
    compiled.set(desc, fields);
    for (const [name, field] of fieldsByName(desc)) {
      const isRepeatedMessage = field.fieldKind === "list" && field.message;
      const parse = isRepeatedMessage ? undefined : textParser(field, dialect);
      const behind = messageBehind(field);
      fields.set(name, { field, parse, inner: behind && fieldsOf(behind) });
    }
    return fields;
  };
}

/** Which fields of a request do not come from the query. */
export interface QueryScope {
  readonly variables: readonly { readonly path: FieldPath }[];
  /** The field that is the request body, or `*` for all that the path does not have. */
  readonly body: DescField | "*" | undefined;
}

/**
 * Reads query parameters into a message.
 *
 * A parameter's name is a path of JSON or proto names, a repeated field is a repeated parameter, and
 * `+` is a space, as in forms.
 *
 * @param query what comes after `?` in the request target
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
    const name = decodeComponent(equals < 0 ? pair : pair.slice(0, equals), "query");
    try {
      const text = equals < 0 ? "" : decodeComponent(pair.slice(equals + 1), "");
      readParameter(name, text, message, fields, scope, given);
    } catch (error) {
      throw within(name, error);
    }
  }
}

function decodeComponent(raw: string, path: string): string {
  const text = percentDecode(raw.replaceAll("+", " "));
  if (typeof text !== "string") throw new InvalidInput(text.fault, path);
  return text;
}

function readParameter(
  name: string,
  text: string,
  message: AnyMessage,
  fields: QueryFields,
  scope: QueryScope,
  given: Set<string>,
): void {
  const { path, field, parse } = findParameter(name, fields);
  refuseIfElsewhere(path, scope);
  const value = parse(text);
  const holder = holderOf(message, path);
  if (field.fieldKind === "list") {
    (holder[field.localName] as unknown[]).push(value);
    return;
  }
  const canonical = jsonPath(path);
  if (given.has(canonical)) throw new InvalidInput("given twice");
  given.add(canonical);
  setField(holder, field, value);
}

function findParameter(
  name: string,
  fields: QueryFields,
): { path: FieldPath; field: DescField; parse: TextParser } {
  let inner: QueryFields | undefined = fields;
  let found: QueryField | undefined;
  const path: DescField[] = [];
  // No more of them than a body can be nested: a message that contains itself has no end of its own.
  for (const step of name.split(".", maxJsonDepth + 1)) {
    found = path.length < maxJsonDepth ? inner?.get(step) : undefined;
    if (!found) break;
    path.push(found.field);
    inner = found.inner;
  }
  const [first, ...rest] = path;
  if (!first || !found?.parse) throw new InvalidInput("no such query parameter");
  return { path: [first, ...rest], field: found.field, parse: found.parse };
}

function refuseIfElsewhere(path: FieldPath, { variables, body }: QueryScope): void {
  if (variables.some((variable) => leadsTo(variable.path, path))) {
    throw new InvalidInput("given in the path already; leave it out of the query");
  }
  if (body === "*" || body === path[0]) {
    throw new InvalidInput("belongs in the request body, not in the query");
  }
}
