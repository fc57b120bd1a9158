import { memoize } from "connect-gateway/call";
import { type ApiKey, parseApiKey } from "../access/api-key.ts";

/** What an Authorization header says. */
export interface Credentials {
  /** The API key, if its form and checksum are right. */
  readonly key: ApiKey | undefined;
  /** Why there is no key. */
  readonly fault: "missing" | "malformed" | undefined;
}

/** RFC 6750 section 2.1. The scheme is case-insensitive (RFC 9110 section 11.1). */
const bearer = /^bearer +([^ ]+) *$/i;

/** Most parsed headers that are cached. Parsing a key costs as much as all other work before the store call. */
const maxRemembered = 1_000;
/** Longest header that is cached, in characters. A key with its scheme has 56. */
const longestRemembered = 128;

const missing: Credentials = { key: undefined, fault: "missing" };
const malformed: Credentials = { key: undefined, fault: "malformed" };

function parse(authorization: string): Credentials {
  const token = bearer.exec(authorization)?.[1];
  if (token === undefined) return missing;
  const key = parseApiKey(token);
  return key ? { key, fault: undefined } : malformed;
}

// Whether the key is valid is not cached: the store decides that for each request.
const parseOnce = memoize(parse, maxRemembered);

/** Parses an Authorization header. */
export function credentialsOf(authorization = ""): Credentials {
  if (authorization === "") return missing;
  return (authorization.length > longestRemembered ? parse : parseOnce)(authorization);
}
