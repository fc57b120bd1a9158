import type { DescMessage } from "@bufbuild/protobuf";
import { fieldsInJson } from "./message-field.ts";
import type { Route } from "./route.ts";

/** The messages that request bodies have, with those within them. */
export function requestedMessages(routes: readonly Route<never>[]): ReadonlySet<DescMessage> {
  return withThoseWithin(
    routes.map(({ body, method }) => (body === "*" ? method.desc.input : body?.message)),
  );
}

/** The messages of whole requests, with those within them: path, query and body. */
export function inputMessages(routes: readonly Route<never>[]): ReadonlySet<DescMessage> {
  return withThoseWithin(routes.map(({ method }) => method.desc.input));
}

/** The messages of whole responses, with those within them. */
export function outputMessages(routes: readonly Route<never>[]): ReadonlySet<DescMessage> {
  return withThoseWithin(routes.map(({ method }) => method.desc.output));
}

function withThoseWithin(descs: readonly (DescMessage | undefined)[]): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const add = (desc: DescMessage | undefined) => {
    if (!desc || found.has(desc)) return;
    found.add(desc);
    for (const { message } of fieldsInJson(desc)) add(message);
  };
  for (const desc of descs) add(desc);
  return found;
}
