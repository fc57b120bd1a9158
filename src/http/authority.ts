import { isIPv6 } from "node:net";
import { memoize } from "../call/memoize.ts";

/** Length of the longest authority: a DNS name of 253 characters, a colon and a port, with some room. */
const longest = 300;

/** uri-host [":" port] (RFC 9110, section 7.2; RFC 3986, section 3.2.2). The host must not be empty. */
const form =
  /^(?:\[(?:([0-9A-Fa-f:.]+)|[vV][0-9A-Fa-f]+\.[-._~!$&'()*+,;=:0-9A-Za-z]+)\]|(?:[-._~!$&'()*+,;=0-9A-Za-z]|%[0-9A-Fa-f]{2})+)(?::[0-9]*)?$/;

/** All characters of an authority (RFC 3986, section 3.2), except for the `@` after user information. */
const http2Form = /^(?:[-._~!$&'()*+,;=:[\]0-9A-Za-z]|%[0-9A-Fa-f]{2})+$/;

/** Size of a cache of valid authorities. Clients of one server send few. */
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
