import type { Body, Call, Field, Parameter, Response, Type, Types } from "./model.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  /** A text if a double cannot hold it. */
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface HeaderObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<Record<string, Content>>;
}

interface ParameterObject {
  readonly name: string;
  readonly in: Parameter["in"];
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly "x-rpc": string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** The parts of the OpenAPI document that the page uses. */
export interface OpenApi {
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

/** Returns the operations of the document as calls, by the name of the method that they call. */
export function httpCalls(document: OpenApi): ReadonlyMap<string, Call> {
  const types = typesOf(document);
  const common = new Set(commonHeaders(document).map(({ name }) => name));
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([httpMethod, operation]) => ({ path, httpMethod, operation })),
  );
  return new Map(
    operations.map(({ path, httpMethod, operation }) => [
      operation["x-rpc"],
      {
        protocol: "http",
        httpMethod: httpMethod.toUpperCase(),
        path: `/v1${path}`,
        summary: operation.summary,
        description: operation.description,
        parameters: (operation.parameters ?? []).map((each) => parameterOf(each, document)),
        ...(operation.requestBody && { body: bodyOf(operation.requestBody.content) }),
        responses: Object.entries(operation.responses).map(([status, response]) =>
          responseOf(status, response, document, common),
        ),
        types,
        isStream: "text/event-stream" in (operation.responses["200"]?.content ?? {}),
      },
    ]),
  );
}

/** Returns the headers that every counted response has: those of successes and of errors with 403. */
export function commonHeaders(document: OpenApi): readonly Field[] {
  const { headers } = document.components;
  const [operation] = Object.values(Object.values(document.paths)[0] ?? {});
  const forbidden = operation && responseAt(operation.responses["403"] ?? {}, document);
  const names = Object.keys(forbidden?.headers ?? {});
  return names
    .filter((name) => name in headers)
    .map((name) => headerField(name, headers[name] ?? {}, document));
}

function parameterOf(parameter: ParameterObject, document: OpenApi): Parameter {
  const { schema } = parameter;
  const resolved = resolveSchema(schema, document);
  const isInteger = resolved.type === "integer";
  return {
    ...fieldOf(parameter.name, { ...schema, description: parameter.description }),
    isRequired: parameter.required === true,
    in: parameter.in,
    isInteger,
    isList: resolved.type === "array",
    ...(resolved.pattern && { pattern: resolved.pattern }),
    ...(resolved.enum && { values: resolved.enum }),
    ...(isInteger && resolved.minimum !== undefined && { minimum: BigInt(resolved.minimum) }),
    ...(isInteger && resolved.maximum !== undefined && { maximum: BigInt(resolved.maximum) }),
  };
}

function bodyOf(content: Readonly<Record<string, Content>>): Body {
  const { schema = {}, examples = {} } = content["application/json"] ?? {};
  const [example] = Object.values(examples);
  return {
    type: nameOf(schema) ?? "",
    example: JSON.stringify(example?.value ?? {}, undefined, 2),
  };
}

function responseOf(
  status: string,
  given: ResponseObject,
  document: OpenApi,
  common: ReadonlySet<string>,
): Response {
  const response = responseAt(given, document);
  const headers = Object.entries(response.headers ?? {});
  const [content] = Object.values(response.content ?? {});
  const [example] = Object.values(content?.examples ?? {});
  const { type, refersTo } = fieldOf("", content?.schema ?? {});
  return {
    status,
    description: response.description ?? "",
    reasons: response.headers?.["X-Error-Reason"]?.schema?.enum ?? [],
    headers: headers
      .filter(([name]) => !common.has(name) && name !== "X-Error-Reason")
      .map(([name, header]) => headerField(name, header, document)),
    ...(content && { type: refersTo ?? type }),
    ...(example && { example: JSON.stringify(example.value, undefined, 2) }),
  };
}

function responseAt(given: ResponseObject, { components }: OpenApi): ResponseObject {
  return given.$ref ? (components.responses[lastPart(given.$ref)] ?? given) : given;
}

function headerField(name: string, given: HeaderObject, document: OpenApi): Field {
  const header = given.$ref ? (document.components.headers[lastPart(given.$ref)] ?? given) : given;
  return fieldOf(name, {
    ...header.schema,
    description: header.description,
    pattern: undefined,
  });
}

function typesOf({ components }: OpenApi): Types {
  return Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, typeOf(name, schema)]),
  );
}

function typeOf(name: string, schema: Schema): Type {
  const { description = "", properties, required = [], enum: values } = schema;
  const choices = schema.oneOf ?? schema.anyOf;
  return {
    name,
    description,
    ...(properties && {
      fields: Object.entries(properties).map(([member, inner]) => ({
        ...fieldOf(member, inner),
        isRequired: required.includes(member),
      })),
    }),
    ...(values && { values: values.map((value) => ({ name: value, description: "" })) }),
    ...(choices && { choices: choices.flatMap((choice) => nameOf(choice) ?? []) }),
  };
}

/** Describes a member that is optional. */
function fieldOf(name: string, schema: Schema): Field {
  const { items, description = "" } = schema;
  const refersTo = nameOf(schema) ?? (items && nameOf(items));
  const bounds = boundsOf(items && !nameOf(items) ? { ...items, ...schema } : schema);
  const single = (each: Schema) =>
    nameOf(each) ?? each.format ?? [each.type ?? "any"].flat().join(" or ");
  return {
    name,
    type: items ? `list of ${single(items)}` : single(schema),
    ...(refersTo && { refersTo }),
    isRequired: false,
    ...(bounds && { bounds }),
    description,
  };
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  return [
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " elements"),
    pattern && `pattern ${pattern}`,
    schema.const && `always ${schema.const}`,
  ]
    .filter(Boolean)
    .join("; ");
}

function range(
  least: number | string | undefined,
  most: number | string | undefined,
  unit: string,
): string {
  if (least === undefined && most === undefined) return "";
  if (most === undefined) return `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}

function resolveSchema(schema: Schema, { components }: OpenApi): Schema {
  const name = nameOf(schema);
  return name ? (components.schemas[name] ?? schema) : schema;
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref && lastPart($ref);
}

function lastPart(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf("/") + 1);
}
