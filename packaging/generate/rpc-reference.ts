import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { optionOf, rangeText } from "connect-gateway/call";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import comments from "../../gen/comments.json" with { type: "json" };
import { any_scope, bounds, output_only, scope } from "../../gen/rules/v1/rules_pb.ts";
import type {
  RpcField,
  RpcMethod,
  RpcReference,
  RpcType,
} from "../../packages/console/src/reference/rpc-document.ts";
import { present } from "../../src/common/present.ts";
import { stabilityOf, summaryOf } from "./openapi/generator/operation.ts";
import { isRequired } from "./openapi/generator/schema.ts";
import { tags } from "./openapi/operation-notes.ts";
import { rpcName, sampleRequest } from "./samples/requests.ts";
import { samplesOf } from "./samples/samples.ts";

const byName: Readonly<Record<string, string>> = comments;

/** Describes the RPC methods, with the comments of the contract. */
export function describeRpc(): RpcReference {
  const services = [...tags, { name: "Administration", service: AdminService }];
  const described = services.map(({ name, service }) => ({
    name: service.typeName,
    title: name,
    description: commentOf(service.typeName),
    methods: service.methods.map(describeMethod),
  }));
  const types = new Map<string, RpcType>();
  for (const { input, output } of services.flatMap(({ service }) => service.methods)) {
    addType(types, input);
    addType(types, output);
  }
  return { services: described, types: Object.fromEntries(types) };
}

function commentOf(name: string): string {
  return byName[name] ?? "";
}

/** Adds a type, and those that it refers to. @param types by full name */
function addType(types: Map<string, RpcType>, desc: DescMessage | DescEnum): void {
  if (types.has(desc.typeName)) return;
  const about = { name: desc.name, description: commentOf(desc.typeName) };
  if (desc.kind === "enum") {
    types.set(desc.typeName, { ...about, values: valuesOf(desc) });
    return;
  }
  types.set(desc.typeName, { ...about, fields: desc.fields.map(describeField) });
  for (const type of desc.fields.map(typeOf)) {
    if (type && isOwn(type)) addType(types, type);
  }
}

function describeMethod(method: DescMethod): RpcMethod {
  const word = stabilityOf(method);
  return {
    name: method.name,
    rpc: rpcName(method),
    ...summaryOf(method, comments),
    ...(!optionOf(method, any_scope) &&
      hasOption(method, scope) && { scope: optionOf(method, scope) }),
    ...(word && { stability: word }),
    ...(method.deprecated && { deprecated: true as const }),
    ...(method.methodKind === "server_streaming" && { stream: "response" as const }),
    ...(method.methodKind === "client_streaming" && { stream: "request" as const }),
    ...(method.idempotency === 1 && { readOnly: true as const }),
    request: method.input.typeName,
    response: method.output.typeName,
    example: sampleRequest(method),
    samples: samplesOf(method),
  };
}

function describeField(field: DescField): RpcField {
  const type = typeOf(field);
  const inWords = boundsText(field);
  return {
    name: field.jsonName,
    type: typeName(field),
    ...(type && isOwn(type) && { refersTo: type.typeName }),
    ...(isRequired(field) && { required: true as const }),
    ...(inWords && { bounds: inWords }),
    description: commentOf(`${field.parent.typeName}.${field.name}`),
  };
}

function valuesOf(desc: DescEnum) {
  const values = desc.values.filter(({ number }) => number !== 0);
  return values.map((value) => {
    const comment = commentOf(`${desc.typeName}.${value.name}`);
    const use = optionOf(value, output_only) ? "Only in responses." : "";
    return { name: value.name, description: `${comment} ${use}`.trim() };
  });
}

function typeOf(field: DescField): DescMessage | DescEnum | undefined {
  return field.message ?? field.enum;
}

/** Returns whether a type is of this contract, not a well-known type such as Timestamp. */
function isOwn({ typeName }: DescMessage | DescEnum): boolean {
  return !typeName.startsWith("google.");
}

function typeName(field: DescField): string {
  const scalar = field.scalar && ScalarType[field.scalar].toLowerCase();
  const single = typeOf(field)?.name ?? present(scalar, "the type of a field");
  if (field.fieldKind === "map") return `map<${ScalarType[field.mapKey].toLowerCase()}, ${single}>`;
  return field.fieldKind === "list" ? `repeated ${single}` : single;
}

/** Returns the bounds of a field in words, such as `between 1 and 1000`; empty without bounds. */
function boundsText(field: DescField): string {
  if (!hasOption(field, bounds)) return "";
  const { min, max, minLength, maxLength, pattern, minItems, maxItems, uniqueBy, notZero, unique } =
    optionOf(field, bounds);
  return [
    range(min, max),
    range(minLength, maxLength, "characters"),
    pattern && `pattern ${pattern}`,
    range(minItems, maxItems, "elements"),
    uniqueBy && `unique by ${uniqueBy}`,
    unique && "unique",
    notZero && "not 0",
  ]
    .filter(Boolean)
    .join("; ");
}

function range(
  least: bigint | number | undefined,
  max: bigint | number | undefined,
  unit?: string,
) {
  const isNone = least === undefined && max === undefined;
  // Nothing has a length below 0.
  const min = max && !least ? undefined : least;
  return isNone ? "" : rangeText({ min, max: max || undefined }, unit);
}
