import type { DescMessage } from "@bufbuild/protobuf";
import { fieldsInJson } from "../../../rest/binding/message-field.ts";
import type { JsonStyle } from "../../../rest/json/style.ts";
import type { Route } from "../../../rest/path/route.ts";

/** Returns the message types in request bodies, including nested ones. */
export function requestedMessages(
  routes: readonly Route<never>[],
  style: JsonStyle,
): ReadonlySet<DescMessage> {
  return withNested(
    routes.map(({ body, method }) => (body === "*" ? method.desc.input : body?.message)),
    style,
  );
}

/** Returns the message types of requests, including nested ones: path, query and body. */
export function inputMessages(
  routes: readonly Route<never>[],
  style: JsonStyle,
): ReadonlySet<DescMessage> {
  return withNested(
    routes.map(({ method }) => method.desc.input),
    style,
  );
}

/** Returns the message types of responses, including nested ones. */
export function outputMessages(
  routes: readonly Route<never>[],
  style: JsonStyle,
): ReadonlySet<DescMessage> {
  return withNested(
    routes.map(({ method }) => method.desc.output),
    style,
  );
}

function withNested(
  descs: readonly (DescMessage | undefined)[],
  { annotations }: JsonStyle,
): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const add = (desc: DescMessage | undefined) => {
    if (!desc || found.has(desc)) return;
    found.add(desc);
    for (const { message } of fieldsInJson(desc, annotations)) add(message);
  };
  for (const desc of descs) add(desc);
  return found;
}
