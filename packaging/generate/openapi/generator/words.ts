import type { DescField } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { codeName } from "connect-gateway/call";
import { httpTerms } from "connect-gateway/rest";
import type { Comments } from "./schema.ts";

/** HTTP statuses by RPC codes as comments write them: NOT_FOUND. */
const statuses = new Map(
  Object.values(Code)
    .filter((code) => typeof code === "number")
    .map((code) => [codeName("grpc", code), String(httpTerms({ code }).status)]),
);

/**
 * Rewrites the comments of a contract for HTTP clients. RPC codes become HTTP statuses (`404` for NOT_FOUND),
 * and field names in code spans become JSON names (`petId` for `pet_id`).
 *
 * @param fields the fields whose names are rewritten
 */
export function httpWords(comments: Comments, fields: Iterable<DescField>): Comments {
  const names = new Map([...fields].map(({ name, jsonName }) => [name, jsonName]));
  const rewrite = (text: string) =>
    text
      .replace(/`[^`]+`/g, (span) => span.replace(/\w+/g, (word) => names.get(word) ?? word))
      .replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (word) => statuses.get(word) ?? word);
  return Object.fromEntries(Object.entries(comments).map(([name, text]) => [name, rewrite(text)]));
}
