import { holderOf, lastField } from "./field-path.ts";
import { within } from "./invalid-input.ts";
import { type AnyMessage, createMessage, setField } from "./message-field.ts";
import { checkSegments, readVariable } from "./path-variable.ts";
import { type QueryFields, readQuery } from "./query.ts";
import { unusedBody } from "./request-body.ts";
import type { Route } from "./route.ts";
import { deriveUpdateMask } from "./update-mask.ts";

/** The parts of a request that become its message. */
export interface RequestParts {
  /** Segments of the path as sent, without the verb. */
  readonly segments: readonly string[];
  /** What comes after `?` in the request target; "" when there is nothing. */
  readonly query: string;
  /** The body, decompressed; empty when there is none. */
  readonly body: Uint8Array;
  /** The Content-Type field. */
  readonly contentType: string | undefined;
}

/**
 * Makes the request message of a route from the parts of a request. None of path, query and body
 * overwrites what another has said.
 *
 * @param queryFields the fields of the request message
 * @throws InvalidInput that names the field
 */
export function bindRequest<Caller>(
  route: Route<Caller>,
  parts: RequestParts,
  queryFields: QueryFields,
): AnyMessage {
  const { segments, query, body } = parts;
  const values = route.variables.map((variable) => readVariable(variable, segments));
  checkSegments(segments);
  const message = bindBody(route, parts, values);
  for (const [index, { path, name }] of route.variables.entries()) {
    try {
      setField(holderOf(message, path), lastField(path), values[index]);
    } catch (error) {
      throw within(name, error);
    }
  }
  if (query !== "") readQuery(query, message, queryFields, route);
  if (route.updateMask && body.length > 0) deriveUpdateMask(message, route.updateMask, body);
  return message;
}

function bindBody<Caller>(
  { method, body: target, bodyReader }: Route<Caller>,
  { body, contentType }: RequestParts,
  bound: readonly unknown[],
): AnyMessage {
  const { input } = method.desc;
  if (body.length === 0) return createMessage(input);
  if (!bodyReader || target === undefined) throw unusedBody();
  const value = bodyReader.read(body, contentType, bound);
  if (target === "*") return value as AnyMessage;
  const message = createMessage(input);
  setField(message, target, value);
  return message;
}
