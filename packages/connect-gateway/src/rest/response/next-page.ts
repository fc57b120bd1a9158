import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { splitTarget } from "../../http/request-target.ts";
import { type AnyMessage, getField } from "../binding/message-field.ts";

export interface Paging {
  /** The response field with the token of the next page. */
  readonly next: DescField;
  /** The request field with the token of the page to return. */
  readonly requested: DescField;
}

/** Finds the paging fields of a method (https://google.aip.dev/158). @returns undefined when it has none */
export function findPaging({ input, output }: DescMethod): Paging | undefined {
  const next = output.fields.find(({ name }) => name === "next_page_token");
  const requested = input.fields.find(({ name }) => name === "page_token");
  return next && requested && { next, requested };
}

/** Returns the Link header for the next page (RFC 8288), if there is one. @param target the request target, whose token it replaces */
export function nextPageLink(
  { next, requested }: Paging,
  target: string,
  response: object,
): string | undefined {
  const token = getField(response as AnyMessage, next);
  if (typeof token !== "string" || token === "") return undefined;
  const { path, query } = splitTarget(target);
  const others = query.split("&").filter((pair) => {
    const name = nameOf(pair);
    return name !== "" && name !== requested.jsonName && name !== requested.name;
  });
  const pairs = [
    ...others,
    `${requested.jsonName}=${encodeURIComponent(token.toWellFormed())}`,
  ].join("&");
  return `<${linkable(path)}?${linkable(pairs)}>; rel="next"`;
}

/** Returns the name of a parameter. Its encoding is valid: reading the request has checked that. */
function nameOf(pair: string): string {
  const [name = ""] = pair.split("=", 1);
  return decodeURIComponent(name.replaceAll("+", " "));
}

/** Encodes characters that a URL in angle brackets cannot contain. */
function linkable(text: string): string {
  return text.replace(/[^!#-;=?-~]/g, encodeURIComponent);
}
