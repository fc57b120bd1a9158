import { within } from "../../http/invalid-input.ts";
import { checkSegments, readVariable } from "../path/path-variable.ts";
import type { Route } from "../path/route.ts";
import { holderOf, lastField } from "./field-path.ts";
import { type AnyMessage, createMessage, setField } from "./message-field.ts";
import { readQuery } from "./query.ts";
import { unusedBody } from "./request-body.ts";
import { deriveUpdateMask } from "./update-mask.ts";

export interface RequestParts {
  /** Segments of the path, not percent-decoded, without the verb. */
  readonly segments: readonly string[];
  /** The request target after `?`; "" when there is none. */
  readonly query: string;
  /** The body, decompressed; empty when there is none. */
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
}

/** Builds the request message of a route. @throws InvalidInput that names the field, such as one with two different values */
export function bindRequest(route: Route, parts: RequestParts): AnyMessage {
  const { segments, query, body } = parts;
  const values = route.variables.map((variable) => readVariable(variable, segments));
  checkSegments(segments);
  const message = bindBody(route, parts, values);
  for (let index = 0; index < values.length; index += 1) {
    const { path, name } = route.variables[index] as (typeof route.variables)[number];
    try {
      setField(holderOf(message, path), lastField(path), values[index]);
    } catch (error) {
      throw within(name, error);
    }
  }
  if (query !== "") readQuery(query, message, route.queryFields, route);
  if (route.updateMask && body.length > 0) deriveUpdateMask(message, route.updateMask, body);
  return message;
}

function bindBody(
  { method, body: target, bodyReader }: Route,
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
