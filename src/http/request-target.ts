import { isAuthority, isHttp2Authority } from "./authority.ts";
import type { NodeServerRequest } from "./exchange/node-http.ts";
import { repeatedHeader } from "./repeated-headers.ts";

/** The path and the query of a request. */
export interface RequestTarget {
  /** As sent, percent-encoded. Begins with a slash, or is `*`. */
  readonly path: string;
  /** The text after the first `?`, as sent; "" when there is none. */
  readonly query: string;
}

/** Says in a message for the client why a request has no valid target. */
export interface TargetFault {
  readonly fault: string;
}

const invalidHost: TargetFault = {
  fault: "The Host header, or :authority in HTTP/2, must be a host with or without a port.",
};
const invalidTarget: TargetFault = {
  fault: "The request target must be a path, or an http or https URL without user information.",
};

const slash = 0x2f;
const absoluteForm = /^https?:\/\/([^/?#]*)/i;

/**
 * Sets `request.url` to the origin-form of the target of a request, which is in origin-form, in absolute-form, or `*` for
 * OPTIONS (RFC 9112, section 3.2). `*` stays.
 *
 * @returns the parts of the target; a fault for any other target, for a Host header or `:authority` that is not valid, and
 * for a repeated header that has one value
 */
export function normalizeTarget(request: NodeServerRequest): RequestTarget | TargetFault {
  const { headers } = request;
  const repeated = repeatedHeader(request);
  if (repeated !== undefined) {
    return { fault: `The request has more than one ${repeated} header. Send it once.` };
  }
  const authority = headers[":authority"];
  const isValid = request.httpVersionMajor === 2 ? isHttp2Authority : isAuthority;
  if (headers.host !== undefined && !isValid(headers.host)) return invalidHost;
  if (typeof authority === "string" && !isValid(authority)) return invalidHost;
  const url = request.url ?? "";
  if (url.charCodeAt(0) === slash) return splitTarget(url);
  const isOptions = request.method === "OPTIONS";
  const origin = url === "*" && isOptions ? url : originForm(url, isOptions);
  if (origin === undefined) return invalidTarget;
  request.url = origin;
  return splitTarget(origin);
}

/** Reads a target that is in origin-form or `*`. */
export function splitTarget(target: string): RequestTarget {
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** @returns undefined when the target is not in absolute-form */
function originForm(url: string, isOptions: boolean): string | undefined {
  const [start = "", authority = ""] = absoluteForm.exec(url) ?? [];
  if (!isAuthority(authority)) return undefined;
  const rest = url.slice(start.length);
  // RFC 9112, section 3.2.4: with OPTIONS, a URL without path and query means the whole server.
  if (rest === "") return isOptions ? "*" : "/";
  if (rest.startsWith("/")) return rest;
  return rest.startsWith("?") ? `/${rest}` : undefined;
}
