import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { memoize } from "connect-gateway/call";
import { parseExactly } from "./exact-json.ts";

/** Returns the faults of a value; empty when it is valid. */
export type Check = (value: unknown) => readonly string[];

/** The schemas of an OpenAPI document, read strictly. */
export interface DocumentSchemas {
  /** @param place location of the schema: the member names from the root of the document */
  at(...place: readonly string[]): Check;
}

/**
 * Compiles the schemas of an OpenAPI document, with two differences: integers are compared exactly, even if
 * a double cannot hold them, and objects must not have undocumented members.
 *
 * @param json the document
 */
export function documentSchemas(json: string): DocumentSchemas {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false });
  addFormats.default(ajv);
  ajv.addFormat("uint64", /^\d{1,20}$/);
  ajv.addKeyword({ keyword: "exactInteger", validate: isWithin, errors: false });
  ajv.addVocabulary(["openapi", "info", "servers", "tags", "security", "paths", "components"]);
  ajv.addSchema(
    { $id: "document", ...(strictly(parseExactly(json)) as object) },
    undefined,
    false,
    false,
  );
  const checkAt = memoize((pointer: string): Check => {
    const validate = ajv.compile({ $ref: `document#${pointer}` });
    return (value) =>
      validate(value)
        ? []
        : (validate.errors ?? []).map(
            ({ instancePath, message }) => `${instancePath} ${message}: ${show(value)}`,
          );
  }, Number.POSITIVE_INFINITY);
  return { at: (...place) => checkAt(place.map((name) => `/${pointerText(name)}`).join("")) };
}

interface Range {
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** The range is a text, because code compiled by ajv cannot contain bigints. */
function isWithin(range: string, value: unknown): boolean {
  const { minimum, maximum } = parseExactly(range) as Range;
  const isInteger = typeof value === "bigint" || Number.isSafeInteger(value);
  const integer = value as number | bigint;
  return (
    isInteger &&
    (minimum === undefined || integer >= minimum) &&
    (maximum === undefined || integer <= maximum)
  );
}

function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = schema as Record<string, unknown>;
  if (members.type === "integer") {
    return { exactInteger: show({ minimum: members.minimum, maximum: members.maximum }) };
  }
  const inside = Object.entries(members).map(([name, value]) => [name, strictly(value)]);
  const isClosed = members.type === "object" && "properties" in members;
  return { ...(isClosed && { additionalProperties: false }), ...Object.fromEntries(inside) };
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === "bigint" ? JSON.rawJSON(`${member}`) : member,
  );
}

function pointerText(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
