import { remembering } from "../call/remembering.ts";

/** The longest authority: a DNS name of 253 characters, a colon and a port, with some room. */
const longest = 300;

/** uri-host [":" port] (RFC 9110, section 7.2; RFC 3986, section 3.2.2). An http URI needs a host. */
const form =
  /^(?:\[[0-9A-Fa-f:.]+\]|(?:[-._~!$&'()*+,;=0-9A-Za-z]|%[0-9A-Fa-f]{2})+)(?::[0-9]{0,5})?$/;

/** How many authorities are remembered. Clients of one server send few. */
const maxRemembered = 1_000;

/**
 * Returns true when the text is valid as a Host header, as `:authority` or in a target in absolute-form.
 * User information is not (RFC 9110, section 4.2.4), nor is a host that no URL can have.
 */
export function isAuthority(text: string): boolean {
  return text.length <= longest && remembered(text) === true;
}

const remembered = remembering(
  // Returns no false: `remembering` remembers every value but undefined.
  (text: string) => (form.test(text) && URL.canParse(`http://${text}`)) || undefined,
  maxRemembered,
);
