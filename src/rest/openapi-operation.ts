import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { cost, StabilitySchema, scope, stability } from "../../gen/rules/v1/rules_pb.ts";
import { shortNames } from "./enum-names.ts";
import type { JsonDialect } from "./json-dialect.ts";
import type { JsonObject } from "./openapi-json.ts";
import { parametersOf } from "./openapi-parameters.ts";
import { requestBodyOf } from "./openapi-request-body.ts";
import type { ErrorResponse, ResponseHeaders, Responses } from "./openapi-response.ts";
import type { Comments, Schemas } from "./openapi-schema.ts";
import type { Route } from "./route.ts";

/** What the contract does not say of an operation. */
export interface OperationNotes {
  readonly tag: string;
  /** Header fields that every answer of this operation has, besides those of all operations. */
  readonly headers?: readonly string[];
  /** Header fields of the answer when all is well, besides those of all operations. */
  readonly answerHeaders?: ResponseHeaders;
  /** Header fields that the request can have: Parameter Objects. */
  readonly parameters?: readonly JsonObject[];
  /** What a client is told with 304 that has the answer already; undefined when there is no 304. */
  readonly notModified?: string;
  /** Examples of request bodies and answers, by name: Example Objects. */
  readonly requestExamples?: JsonObject;
  readonly answerExamples?: JsonObject;
  /** More members, such as `x-sunset`. */
  readonly extensions?: JsonObject;
}

/** What operations are made by. */
export interface OperationContext {
  readonly dialect: JsonDialect;
  readonly comments: Comments;
  readonly schemas: Schemas;
  readonly responses: Responses;
  /** Name of the security scheme. Its roles are the scopes of the contract. */
  readonly securityName: string;
  /** Header fields of every answer that is no error. */
  readonly answerHeaders: readonly string[];
  readonly errors: readonly ErrorResponse[];
}

/**
 * Describes what a route does: an Operation Object.
 *
 * @param pathParameters names of the path's parameters, in their order
 */
export function operationOf(
  route: Route<never>,
  operationId: string,
  pathParameters: readonly string[],
  notes: OperationNotes,
  context: OperationContext,
): JsonObject {
  const { desc } = route.method;
  const { dialect, schemas } = context;
  const needed = hasOption(desc, scope) ? getOption(desc, scope) : undefined;
  const parameters = [
    ...parametersOf(route, pathParameters, schemas, dialect),
    ...(notes.parameters ?? []),
  ];
  return {
    operationId,
    tags: [notes.tag],
    ...summaryOf(desc, context.comments, needed),
    deprecated: desc.deprecated || undefined,
    security: needed ? [{ [context.securityName]: [needed] }] : undefined,
    "x-scope": needed,
    "x-stability": stabilityOf(desc),
    "x-cost": costOf(desc),
    ...notes.extensions,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: requestBodyOf(route, schemas, notes.requestExamples),
    responses: responsesOf(route, notes, context),
  };
}

/** The comment's first sentence; then the rest of it, with what the options say. */
function summaryOf(desc: DescMethod, comments: Comments, needed: string | undefined): JsonObject {
  const comment = comments[`${desc.parent.typeName}.${desc.name}`] ?? desc.name;
  const [, summary = comment, rest] = /^(.*?)\.(?:\s+(.*))?$/s.exec(comment) ?? [];
  const word = stabilityOf(desc);
  const texts = [
    word && joined([`**This operation is ${word}.**`, comments[stabilityName(desc)]], " "),
    rest,
    needed && `The API key needs the scope \`${needed}\`.`,
  ];
  return { summary, description: joined(texts, "\n\n") || comment };
}

/** The texts that there are, one after the other. */
function joined(texts: readonly (string | undefined)[], separator: string): string {
  return texts.filter(Boolean).join(separator);
}

/** The extension `x-cost`: how many elements of which member count as one request; undefined without a cost. */
function costOf(desc: DescMethod): JsonObject | undefined {
  if (!hasOption(desc, cost)) return undefined;
  const { items, itemsPerRequest } = getOption(desc, cost);
  const member = desc.input.fields.find(({ name }) => name === items)?.jsonName ?? items;
  return { items: member, itemsPerRequest };
}

/** The word for how firmly an operation's form stands; undefined where that is as firm as can be. */
function stabilityOf(desc: DescMethod): string | undefined {
  return shortNames(StabilitySchema).toName.get(getOption(desc, stability));
}

/** The full name of the same, as comments have it. */
function stabilityName(desc: DescMethod): string {
  const { typeName, value } = StabilitySchema;
  return `${typeName}.${value[getOption(desc, stability)]?.name}`;
}

function responsesOf(
  route: Route<never>,
  { headers = [], answerHeaders, answerExamples, notModified }: OperationNotes,
  context: OperationContext,
): JsonObject {
  const { responses, errors } = context;
  const { always = [], sometimes = [] } = answerHeaders ?? {};
  const fields = { always: [...context.answerHeaders, ...headers, ...always], sometimes };
  const possible = errors.filter(({ appliesTo }) => appliesTo?.(route) ?? true);
  return {
    200: responses.success(route, fields, answerExamples),
    ...(notModified !== undefined && { 304: responses.empty(notModified, fields) }),
    ...Object.fromEntries(
      possible.map((error) => [error.status, responses.failure(error, headers)]),
    ),
  };
}
