import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { type AnyMessage, getField } from "./message-field.ts";

/** The fields by which a method pages. */
export interface Paging {
  /** Of the answer: names the next page. */
  readonly next: DescField;
  /** Of the request: asks for a page. */
  readonly asked: DescField;
}

/** Finds how a method pages as https://google.aip.dev/158 says. @returns undefined when it does not */
export function findPaging({ input, output }: DescMethod): Paging | undefined {
  const next = output.fields.find(({ name }) => name === "next_page_token");
  const asked = input.fields.find(({ name }) => name === "page_token");
  return next && asked && { next, asked };
}

/**
 * The Link field that leads to the next page (RFC 8288).
 *
 * @param target of the request, as sent: the link repeats it but for the token
 * @returns undefined when there is no next page
 */
export function nextPageLink(
  { next, asked }: Paging,
  target: string,
  answer: object,
): string | undefined {
  const token = getField(answer as AnyMessage, next);
  if (typeof token !== "string" || token === "") return undefined;
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(target) ?? [];
  const kept = query.split("&").filter((pair) => {
    const name = nameOf(pair);
    return name !== "" && name !== asked.jsonName && name !== asked.name;
  });
  const pairs = [...kept, `${asked.jsonName}=${encodeURIComponent(token)}`].join("&");
  return `<${linkable(path)}?${linkable(pairs)}>; rel="next"`;
}

/** The name of a parameter, whose encoding was found valid when it was read. */
function nameOf(pair: string): string {
  const [name = ""] = pair.split("=", 1);
  return decodeURIComponent(name.replaceAll("+", " "));
}

/** A part of a target as it can stand between angle brackets, in a header field. */
function linkable(text: string): string {
  return text.replace(/[^!#-;=?-~]/g, encodeURIComponent);
}
