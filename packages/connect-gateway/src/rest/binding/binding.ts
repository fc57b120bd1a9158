import { within } from "../../http/invalid-input.ts";
import { checkSegments, readVariable } from "../path/path-variable.ts";
import type { Route } from "../path/route.ts";
import type { RouteMatch } from "../path/router.ts";
import { holderOf, lastField } from "./field-path.ts";
import { type AnyMessage, createMessage, setField } from "./message-field.ts";
import { readQuery } from "./query.ts";
import { unusedBody } from "./request-body.ts";
import { deriveUpdateMask } from "./update-mask.ts";

/**
 * Builds the request message of a route. @throws InvalidInput that names the field, such as one with two different values
 *
 * @param body decompressed; empty when there is none
 */
export function bindRequest(
  { route, segments, query }: RouteMatch,
  body: Uint8Array,
  contentType: string | undefined,
): AnyMessage {
  const values = route.variables.map((variable) => readVariable(variable, segments));
  checkSegments(segments);
  const message = bindBody(route, body, contentType, values);
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
  body: Uint8Array,
  contentType: string | undefined,
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
