import { isDeepStrictEqual } from "node:util";
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { optionOf } from "connect-gateway/call";
import { fieldsInJson, isForRequests, unspecifiedNumber } from "connect-gateway/rest";
import { FieldBehavior, field_behavior } from "../../../../gen/google/api/field_behavior_pb.ts";
import { always_set, http_name } from "../../../../gen/rules/v1/rules_pb.ts";
import { httpJson } from "../../../../src/contract/json.ts";
import type { Json, JsonObject } from "./json.ts";
import { boundsOf, enumNames, scalarSchema } from "./scalar.ts";

const { annotations } = httpJson.style;

/** The comments of the contract, by the full name of the commented element. */
export type Comments = Readonly<Record<string, string>>;

interface SchemaOptions {
  readonly comments: Comments;
  /** Message types in request bodies. Unknown members of them are rejected. */
  readonly requested: ReadonlySet<DescMessage>;
  /** Message types of requests. Enums in them list only the values that requests can contain. */
  readonly inputs: ReadonlySet<DescMessage>;
  /** Components that exist already. */
  readonly given: Iterable<readonly [name: string, schema: JsonObject]>;
}

/** Creates schemas, and collects the components that they refer to. */
export interface Schemas {
  /** Schemas of messages and enums by name, for `components`. */
  readonly components: ReadonlyMap<string, JsonObject>;
  field(field: DescField): JsonObject;
  message(desc: DescMessage): JsonObject;
  /**
   * Returns the schema of an array element of a stream: a message, or the error that ended the stream.
   *
   * @param body the field that is sent in place of the whole message
   */
  streamElement(desc: DescMessage, body: DescField | undefined): JsonObject;
  /** Returns the schema of a request body with some of the fields of a message. */
  body(desc: DescMessage, fields: readonly DescField[]): JsonObject;
}

/** Returns whether a field is marked as required. */
export function isRequired(field: DescField): boolean {
  return optionOf(field, field_behavior).includes(FieldBehavior.REQUIRED);
}

/** Returns a Reference Object for a schema in `components`. */
export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function capitalized(name: string): string {
  return name.replace(/^./, (first) => first.toUpperCase());
}

/** The name that rules.v1.http_name gives a message in documents; undefined without that option. */
function chosenName(desc: DescMessage | DescEnum): string | undefined {
  return desc.kind === "message" ? optionOf(desc, http_name) || undefined : undefined;
}

export function createSchemas(options: SchemaOptions): Schemas {
  const { comments, requested, inputs } = options;
  const components = new Map(options.given);
  const names = new Map<string, string>();

  /**
   * Returns a reference to a component. The first reference creates the component.
   *
   * @param suffix of its name
   * @param key identifies the component; the same key gets the same component
   * @throws Error when another schema has the name
   */
  function refer(
    desc: DescMessage | DescEnum,
    make: () => JsonObject,
    suffix = "",
    key = desc.typeName + suffix,
  ): JsonObject {
    const known = names.get(key);
    if (known !== undefined) return reference(known);
    const name = (chosenName(desc) ?? desc.name) + suffix;
    const other = components.get(name);
    names.set(key, name);
    // Reserves the name, because a message can contain itself.
    components.set(name, {});
    const schema = make();
    if (other && !isDeepStrictEqual(other, schema)) {
      throw new Error(`${desc.typeName}: ${name} is the name of another schema, too`);
    }
    components.set(name, schema);
    return reference(name);
  }

  return {
    components,
    field: ofField,
    message: ofMessage,
    streamElement(desc, body) {
      const make = () => ({
        description:
          "One element of the array: a message, or the error that ended the stream. An error is the last element.",
        anyOf: [body ? ofField(body) : ofMessage(desc), reference("StreamError")],
      });
      return refer(desc, make, `${body ? capitalized(body.localName) : ""}OrError`);
    },
    body(desc, fields) {
      const names = fields.map(({ name }) => name).join();
      return refer(desc, () => objectSchema(desc, fields), "", `${desc.typeName}(${names})`);
    },
  };

  function ofField(field: DescField): JsonObject {
    const description = comments[`${field.parent.typeName}.${field.name}`];
    return { ...wholeValue(field), description };
  }

  function ofMessage(desc: DescMessage): JsonObject {
    return desc.typeName === "google.protobuf.Timestamp"
      ? { type: "string", format: "date-time" }
      : refer(desc, () => messageSchema(desc));
  }

  function messageSchema(desc: DescMessage): JsonObject {
    const fields = fieldsInJson(desc, annotations);
    const choice = desc.oneofs.find((oneof) => optionOf(oneof, always_set));
    if (!choice) return objectSchema(desc, fields);
    const oneOf = choice.fields.map((chosen) => {
      const others = fields.filter((field) => field === chosen || field.oneof !== choice);
      return refer(desc, () => objectSchema(desc, others, chosen), capitalized(chosen.localName));
    });
    const names = choice.fields.map(({ jsonName }) => `\`${jsonName}\``).join(", ");
    const rule = `Exactly one of the members ${names} is present. It identifies the schema.`;
    return { description: [comments[desc.typeName], rule].filter(Boolean).join(" "), oneOf };
  }

  /** @param chosen the field of a oneof that is always set */
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
      properties: Object.fromEntries(fields.map((field) => [field.jsonName, ofField(field)])),
      required: needed.length > 0 ? needed.map(({ jsonName }) => jsonName) : undefined,
      additionalProperties: requested.has(desc) ? false : undefined,
    };
  }

  /** Returns whether a field is required in requests, or present in all responses. */
  function isNeeded(field: DescField, inRequests: boolean): boolean {
    if (isRequired(field) || inRequests) return isRequired(field);
    const hasPresence = field.oneof || field.presence !== FeatureSet_FieldPresence.IMPLICIT;
    return !hasPresence && !(field.fieldKind === "enum" && unspecifiedNumber(field.enum) === 0);
  }

  function wholeValue(field: DescField): JsonObject {
    if (field.fieldKind !== "list") return singleValue(field);
    const { minItems, maxItems, unique } = boundsOf(field) ?? {};
    const uniqueItems = unique || undefined;
    return { type: "array", items: singleValue(field), minItems, maxItems, uniqueItems };
  }

  function singleValue(field: DescField): JsonObject {
    if (field.message) return ofMessage(field.message);
    if (!field.enum) return scalarSchema(field.scalar, boundsOf(field));
    const { enum: desc } = field;
    const values = enumNames(desc);
    const accepted = values.filter(([, number]) => isForRequests(desc, number, annotations));
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
