import { type AnyMessage, getField } from "./message-field.ts";
import type { Route } from "./route.ts";

/**
 * The Link field that leads to the next page (RFC 8288), for methods that page as
 * https://google.aip.dev/158 says: the answer names the next page in `next_page_token`, and a request
 * asks for it in `page_token`.
 *
 * @param target of the request, as sent: the link repeats it but for the token
 * @returns undefined when there is no next page
 */
export function nextPageLink(
  { httpMethod, method }: Route<never>,
  target: string,
  answer: object,
): string | undefined {
  const { input, output } = method.desc;
  const next = output.fields.find(({ name }) => name === "next_page_token");
  const asked = input.fields.find(({ name }) => name === "page_token");
  if (httpMethod !== "GET" || !next || !asked) return undefined;
  const token = getField(answer as AnyMessage, next);
  if (typeof token !== "string" || token === "") return undefined;
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(target) ?? [];
  const kept = query.split("&").filter((pair) => {
    const [name] = pair.split("=", 1);
    return name !== "" && name !== asked.jsonName && name !== asked.name;
  });
  const pairs = [...kept, `${asked.jsonName}=${encodeURIComponent(token)}`].join("&");
  return `<${linkable(path)}?${linkable(pairs)}>; rel="next"`;
}

/** A part of a target as it can stand between angle brackets, in a header field. */
function linkable(text: string): string {
  return text.replace(/[^!#-;=?-~]/g, encodeURIComponent);
}
