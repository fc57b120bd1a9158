import { isDeepStrictEqual } from "node:util";
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { getOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.ts";
import { always_set, http_name } from "../../gen/rules/v1/rules_pb.ts";
import { isForRequests, unspecifiedNumber } from "./enum-names.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { fieldsInJson } from "./message-field.ts";
import type { Json, JsonObject } from "./openapi-json.ts";
import { boundsOf, enumNames, scalarSchema } from "./openapi-scalar.ts";
import { wellKnownSchema } from "./openapi-well-known.ts";

/** Comments of the contract, by the full names of what they stand before. */
export type Comments = Readonly<Record<string, string>>;

/** What schemas are made by. */
export interface SchemaOptions {
  readonly dialect: JsonDialect;
  readonly comments: Comments;
  /** Messages that requests have: what is not known in them is refused. */
  readonly requested: ReadonlySet<DescMessage>;
  /** Messages of whole requests: enums in them list only the values that a request may have. */
  readonly inputs: ReadonlySet<DescMessage>;
  /** Fields that a path gives, so that a request body need not. */
  readonly inPath: ReadonlySet<DescField>;
  /** Components that are there already. */
  readonly given: Iterable<readonly [name: string, schema: JsonObject]>;
}

/** Makes schemas, and gathers those that others refer to. */
export interface Schemas {
  /** The schema of a field's whole value. */
  field(field: DescField): JsonObject;
  message(desc: DescMessage): JsonObject;
  /** The schema of a request body that has these fields of a message. */
  body(desc: DescMessage, fields: readonly DescField[]): JsonObject;
  /** Schemas of messages and enums by name, for `components`. */
  readonly components: ReadonlyMap<string, JsonObject>;
}

/** Whether a field has to be given. */
export function isRequired(field: DescField): boolean {
  return getOption(field, field_behavior).includes(FieldBehavior.REQUIRED);
}

/** A Reference Object for a schema among the components. */
export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name that rules.v1.http_name gives a message in documents; undefined without that option. */
function chosenName(desc: DescMessage | DescEnum): string | undefined {
  return desc.kind === "message" ? getOption(desc, http_name) || undefined : undefined;
}

/** Makes a {@link Schemas}. */
export function createSchemas(options: SchemaOptions): Schemas {
  const { dialect, comments, requested, inputs, inPath } = options;
  const components = new Map(options.given);
  const names = new Map<string, string>();

  /**
   * Returns a reference to a component. The first reference creates the component.
   *
   * @param suffix of its name
   * @param key identifies the component; the same key gets the same component
   * @throws Error when rules.v1.http_name is the name of another schema
   */
  function refer(
    desc: DescMessage | DescEnum,
    make: () => JsonObject,
    suffix = "",
    key = desc.typeName + suffix,
  ): JsonObject {
    const known = names.get(key);
    if (known !== undefined) return reference(known);
    const chosen = chosenName(desc);
    const wanted = (chosen ?? desc.name) + suffix;
    const other = components.get(wanted);
    const name = other && chosen === undefined ? unusedName(desc.typeName + suffix) : wanted;
    names.set(key, name);
    // Before it is made: a message can contain itself.
    components.set(name, {});
    const schema = make();
    if (other && name === wanted && !isDeepStrictEqual(other, schema)) {
      throw new Error(`${desc.typeName}: rules.v1.http_name ${name} is that of another schema`);
    }
    components.set(name, schema);
    return reference(name);
  }

  /** Returns a name that no component has, with a number appended if necessary. */
  function unusedName(name: string): string {
    let unused = name;
    for (let number = 2; components.has(unused); number++) unused = name + number;
    return unused;
  }

  const schemas: Schemas = {
    components,
    field(field) {
      const description = comments[`${field.parent.typeName}.${field.name}`];
      return { ...wholeValue(field), description };
    },
    message(desc) {
      return wellKnownSchema(desc, dialect) ?? refer(desc, () => messageSchema(desc));
    },
    body(desc, fields) {
      const names = fields.map(({ name }) => name).join();
      return refer(desc, () => objectSchema(desc, fields), "", `${desc.typeName}(${names})`);
    },
  };
  return schemas;

  function messageSchema(desc: DescMessage): JsonObject {
    const fields = fieldsInJson(desc);
    const choice = desc.oneofs.find((oneof) => getOption(oneof, always_set));
    if (!choice) return objectSchema(desc, fields);
    const oneOf = choice.fields.map((chosen) => {
      const others = fields.filter((field) => field === chosen || field.oneof !== choice);
      const suffix = chosen.localName.replace(/^./, (first) => first.toUpperCase());
      return refer(desc, () => objectSchema(desc, others, chosen), suffix);
    });
    return { description: comments[desc.typeName], oneOf };
  }

  /** @param chosen the field of a oneof that is always there */
  function objectSchema(
    desc: DescMessage,
    fields: readonly DescField[],
    chosen?: DescField,
  ): JsonObject {
    const needed = fields.filter(
      (field) => field === chosen || isNeeded(field, requested.has(desc)),
    );
    const about = chosen ? `${desc.typeName}.${chosen.name}` : desc.typeName;
    return {
      type: "object",
      description: comments[about],
      properties: Object.fromEntries(fields.map((field) => [field.jsonName, schemas.field(field)])),
      required: needed.length > 0 ? needed.map(({ jsonName }) => jsonName) : undefined,
      additionalProperties: requested.has(desc) ? false : undefined,
    };
  }

  /** Whether a field has to be in a request, or is in every answer. */
  function isNeeded(field: DescField, inRequests: boolean): boolean {
    if (inPath.has(field)) return false;
    if (isRequired(field) || inRequests) return isRequired(field);
    const hasPresence = field.oneof || field.presence !== FeatureSet_FieldPresence.IMPLICIT;
    if (hasPresence || !dialect.emitDefaults) return false;
    const hidesZero = dialect.shortEnumNames && field.fieldKind === "enum";
    return !(hidesZero && unspecifiedNumber(field.enum) !== undefined);
  }

  function wholeValue(field: DescField): JsonObject {
    switch (field.fieldKind) {
      case "list": {
        const { minItems, maxItems } = boundsOf(field) ?? {};
        return { type: "array", items: singleValue(field), minItems, maxItems };
      }
      case "map":
        return { type: "object", additionalProperties: singleValue(field) };
      default:
        return singleValue(field);
    }
  }

  function singleValue(field: DescField): JsonObject {
    if (field.message) return schemas.message(field.message);
    if (!field.enum) return scalarSchema(field.scalar, dialect, boundsOf(field));
    const { enum: desc } = field;
    if (desc.typeName === "google.protobuf.NullValue") return { type: "null" };
    const values = enumNames(desc, dialect);
    const accepted = values.filter(([, number]) => isForRequests(desc, number));
    return inputs.has(field.parent) && accepted.length < values.length
      ? refer(desc, () => enumSchema(desc, accepted), "InRequest")
      : refer(desc, () => enumSchema(desc, values));
  }

  function enumSchema(desc: DescEnum, values: readonly [string, number][]): JsonObject {
    const lines = values.map(([name, number]) => {
      const value = desc.value[number];
      const comment = value && comments[`${desc.typeName}.${value.name}`];
      return `- \`${name}\`${comment ? `: ${comment}` : ""}`;
    });
    const about: Json[] = [comments[desc.typeName] ?? "", lines.join("\n")];
    return {
      type: "string",
      description: about.join("\n\n").trim(),
      enum: values.map(([name]) => name),
    };
  }
}
