import { memoize } from "../call/memoize.ts";

/** Length of the longest authority: a DNS name of 253 characters, a colon and a port, with some room. */
const longest = 300;

/** uri-host [":" port] (RFC 9110, section 7.2; RFC 3986, section 3.2.2). The host must not be empty. */
const form =
  /^(?:\[[0-9A-Fa-f:.]+\]|(?:[-._~!$&'()*+,;=0-9A-Za-z]|%[0-9A-Fa-f]{2})+)(?::[0-9]{0,5})?$/;

/** Size of the cache of valid authorities. Clients of one server send few. */
const maxCached = 1_000;

/**
 * Returns whether a text is a valid Host header, `:authority` header, or authority of a target in absolute-form.
 * User information is not allowed (RFC 9110, section 4.2.4), and neither is a host that no URL can have.
 */
export function isAuthority(text: string): boolean {
  return text.length <= longest && isValid(text) === true;
}

const isValid = memoize(
  // `undefined` instead of false, which memoize does not cache.
  (text: string) => (form.test(text) && URL.canParse(`http://${text}`)) || undefined,
  maxCached,
);
