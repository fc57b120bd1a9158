import { isIPv6 } from "node:net";
import { memoize } from "../call/memoize.ts";
import type { Exchange } from "./exchange/exchange.ts";
import { repeatedHeader } from "./repeated-headers.ts";

export interface RequestTarget {
  /** As sent, percent-encoded. Begins with a slash, or is `*`. */
  readonly path: string;
  /** The text after the first `?`, as sent; "" when there is none. */
  readonly query: string;
}

const invalidHost =
  "The Host header, or :authority in HTTP/2, must be a host with or without a port.";
const invalidTarget =
  "The request target must be a path, or an http or https URL without user information. It must not have a fragment.";

const slash = 0x2f;
const absoluteForm = /^https?:\/\/([^/?#]*)/i;

/**
 * Sets `request.url` to the origin-form of the target of a request, which is in origin-form, in absolute-form, or `*` for
 * OPTIONS (RFC 9112, section 3.2). `*` stays.
 *
 * @returns the parts of the target; why it is invalid, for the client, for any other target, for a Host header or `:authority` that is not valid, and
 * for a repeated header that has one value
 */
export function normalizeTarget(request: Exchange): RequestTarget | string {
  const { headers } = request;
  const repeated = repeatedHeader(request);
  if (repeated !== undefined) {
    return `The request has more than one ${repeated} header. Send it once.`;
  }
  const authority = headers[":authority"];
  const isValid = request.httpVersion === "2.0" ? isHttp2Authority : isAuthority;
  if (headers.host !== undefined && !isValid(headers.host)) return invalidHost;
  if (typeof authority === "string" && !isValid(authority)) return invalidHost;
  const url = request.url ?? "";
  if (url.includes("#")) return invalidTarget;
  if (url.charCodeAt(0) === slash) return splitTarget(url);
  // RFC 9112, section 3.2.4: with OPTIONS, a URL without path and query means the whole server.
  const whole = request.method === "OPTIONS" ? "*" : "/";
  const origin = url === whole ? url : originForm(url, whole);
  if (origin === undefined) return invalidTarget;
  request.url = origin;
  return splitTarget(origin);
}

export function splitTarget(target: string): RequestTarget {
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** @param whole the result for a URL without path and query. @returns undefined when the target is not in absolute-form */
function originForm(url: string, whole: string): string | undefined {
  const [start = "", authority = ""] = absoluteForm.exec(url) ?? [];
  if (!isAuthority(authority)) return undefined;
  const rest = url.slice(start.length);
  if (rest === "") return whole;
  if (rest.startsWith("/")) return rest;
  return rest.startsWith("?") ? `/${rest}` : undefined;
}

/** Length of the longest authority: a DNS name of 253 characters, a colon and a port, with some room. */
const longest = 300;

/** uri-host [":" port] (RFC 9110, section 7.2; RFC 3986, section 3.2.2). The host must not be empty. */
const form =
  /^(?:\[(?:([0-9A-Fa-f:.]+)|[vV][0-9A-Fa-f]+\.[-._~!$&'()*+,;=:0-9A-Za-z]+)\]|(?:[-._~!$&'()*+,;=0-9A-Za-z]|%[0-9A-Fa-f]{2})+)(?::[0-9]*)?$/;

/** All characters of an authority (RFC 3986, section 3.2), except for the `@` after user information. */
const http2Form = /^(?:[-._~!$&'()*+,;=:[\]0-9A-Za-z]|%[0-9A-Fa-f]{2})+$/;

const maxCached = 1_000;

/**
 * Returns whether a text is a valid Host header, or authority of a target in absolute-form. User information is not
 * allowed (RFC 9110, section 4.2.4). The host may have a form that WHATWG's URLs refuse, such as `inventory-1.0`.
 */
export const isAuthority = cached((text) => {
  const found = form.exec(text);
  return found !== null && (found[1] === undefined || isIPv6(found[1]));
});

/**
 * Returns whether a text is a valid `:authority` header of HTTP/2. gRPC's name resolvers send what they resolve, such as
 * `127.0.0.1:1,127.0.0.1:2` or `%23initially=[a:1;b:2]`, in the characters that an authority may have:
 * https://github.com/grpc/grpc-go/blob/master/clientconn.go (encodeAuthority)
 */
export const isHttp2Authority = cached((text) => http2Form.test(text));

function cached(check: (text: string) => boolean): (text: string) => boolean {
  // `undefined` instead of false, which memoize does not cache.
  const isValid = memoize((text: string) => check(text) || undefined, maxCached);
  return (text) => text.length <= longest && isValid(text) === true;
}
