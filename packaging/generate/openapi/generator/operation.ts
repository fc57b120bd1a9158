import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { optionOf } from "connect-gateway/call";
import { type Route, shortNames } from "connect-gateway/rest";
import {
  any_scope,
  cost,
  StabilitySchema,
  scope,
  stability,
} from "../../../../gen/rules/v1/rules_pb.ts";
import { everyResponse } from "../headers.ts";
import type { JsonObject } from "./json.ts";
import { parametersOf, requestBodyOf } from "./request.ts";
import type { DocumentedError, ResponseHeaders, Responses } from "./response.ts";
import type { Comments, Schemas } from "./schema.ts";

/** Facts about an operation that the contract does not contain. */
export interface OperationNotes {
  readonly operationId: string;
  readonly tag: string;
  /** Headers of every response of this operation, in addition to those of all operations. */
  readonly headers?: readonly string[];
  /** Headers of successful responses, in addition to those of all operations. */
  readonly successHeaders?: ResponseHeaders;
  /** Request headers, as Parameter Objects. */
  readonly parameters?: readonly JsonObject[];
  /** Description of the 304 response; undefined when the operation has none. */
  readonly notModified?: string;
  /** Examples of request and response bodies by name, as Example Objects. */
  readonly requestExamples?: JsonObject;
  readonly responseExamples?: JsonObject;
  /** Extensions such as `x-sunset`. */
  readonly extensions?: JsonObject;
}

interface OperationContext {
  readonly comments: Comments;
  readonly schemas: Schemas;
  readonly responses: Responses;
  /** Returns the error responses of a route, in the order of their statuses. */
  readonly errorsOf: (route: Route) => readonly DocumentedError[];
}

/** Describes a route as an Operation Object. */
export function operationOf(
  route: Route,
  notes: OperationNotes,
  context: OperationContext,
): JsonObject {
  const { desc } = route.method;
  const { schemas } = context;
  const needed = hasOption(desc, scope) ? optionOf(desc, scope) : undefined;
  const isOpen = optionOf(desc, any_scope);
  const parameters = [...parametersOf(route, schemas), ...(notes.parameters ?? [])];
  return {
    operationId: notes.operationId,
    tags: [notes.tag],
    ...summaryOf(desc, context.comments),
    deprecated: desc.deprecated || undefined,
    security: needed || isOpen ? [{ apiKey: needed ? [needed] : [] }] : undefined,
    "x-rpc": `${desc.parent.typeName}/${desc.name}`,
    "x-scope": needed,
    "x-stability": stabilityOf(desc),
    "x-cost": costOf(desc),
    ...notes.extensions,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: requestBodyOf(route, schemas, notes.requestExamples),
    responses: responsesOf(route, notes, context),
  };
}

/** Returns the summary, which is the first sentence of the comment, and the description: the rest and the options. */
export function summaryOf(desc: DescMethod, comments: Comments) {
  const comment = comments[`${desc.parent.typeName}.${desc.name}`] ?? desc.name;
  const [, summary = comment, rest] = /^(.*?)\.(?:\s+(.*))?$/s.exec(comment) ?? [];
  const word = stabilityOf(desc);
  const needed = optionOf(desc, scope);
  const texts = [
    word && joined([`**This operation is ${word}.**`, comments[stabilityName(desc)]], " "),
    rest,
    needed && `The API key needs the scope \`${needed}\`.`,
  ];
  return { summary, description: joined(texts, "\n\n") || comment };
}

function joined(texts: readonly (string | undefined)[], separator: string): string {
  return texts.filter(Boolean).join(separator);
}

/**
 * The extension `x-cost`: how many elements of which member count as one request, and how many the stored resource can
 * have, whose elements count too; undefined without a cost.
 */
function costOf(desc: DescMethod): JsonObject | undefined {
  if (!hasOption(desc, cost)) return undefined;
  const { items, itemsPerRequest, maxStoredItems } = optionOf(desc, cost);
  const member = desc.input.fields.find(({ name }) => name === items)?.jsonName;
  return { items: member, itemsPerRequest, maxStoredItems: maxStoredItems || undefined };
}

/** Returns `experimental` or `beta`; undefined for a stable operation. */
export function stabilityOf(desc: DescMethod): string | undefined {
  return shortNames(StabilitySchema).toName.get(optionOf(desc, stability));
}

/** Returns the full name of the enum value for the stability. It is the key of its comment. */
function stabilityName(desc: DescMethod): string {
  const { typeName, value } = StabilitySchema;
  return `${typeName}.${value[optionOf(desc, stability)]?.name}`;
}

function responsesOf(
  route: Route,
  { headers = [], successHeaders, responseExamples, notModified }: OperationNotes,
  context: OperationContext,
): JsonObject {
  const { responses, errorsOf } = context;
  const { always = [], sometimes = [] } = successHeaders ?? {};
  const names = { always: [...everyResponse, ...headers, ...always], sometimes };
  return {
    200: responses.success(route, names, responseExamples),
    ...(notModified !== undefined && { 304: responses.empty(notModified, names) }),
    ...Object.fromEntries(
      errorsOf(route).map((error) => [error.status, responses.failure(error, headers)]),
    ),
  };
}
