import type { RequestTarget } from "../../http/request-target.ts";
import type { Route } from "./route.ts";
import { createRouter } from "./router.ts";

/** What the HTTP method and target of a request select. */
export type Match<Caller> =
  | {
      readonly kind: "route";
      readonly route: Route<Caller>;
      /** Segments of the path as sent, without the verb. */
      readonly segments: readonly string[];
      /** What comes after `?`; "" when there is nothing. */
      readonly query: string;
    }
  | { readonly kind: "not_found" }
  /** `allow`: value of the Allow header, the methods of the path. */
  | { readonly kind: "method_not_allowed"; readonly allow: string }
  | { readonly kind: "options"; readonly allow: string };

/** Finds the route of a request. */
export type Matcher<Caller> = (httpMethod: string, target: RequestTarget) => Match<Caller>;

/**
 * Creates a matcher for routes.
 *
 * @throws Error when two routes conflict
 */
export function createMatcher<Caller>(routes: readonly Route<Caller>[]): Matcher<Caller> {
  const find = createRouter(routes);
  const everyMethod = allowText(new Set(routes.map(({ httpMethod }) => httpMethod)));
  return (httpMethod, { path, query }) => {
    if (path === "*" && httpMethod === "OPTIONS") return { kind: "options", allow: everyMethod };
    const found = find(httpMethod, path);
    if ("route" in found) return { kind: "route", ...found, query };
    if (found.allowed.size === 0) return { kind: "not_found" };
    const kind = httpMethod === "OPTIONS" ? "options" : "method_not_allowed";
    return { kind, allow: allowText(found.allowed) };
  };
}

/** Writes an Allow header. A path with GET serves HEAD too, and every path serves OPTIONS. */
function allowText(methods: ReadonlySet<string>): string {
  const all = new Set([...methods, "OPTIONS"]);
  all.delete("*");
  if (all.has("GET")) all.add("HEAD");
  return [...all].sort().join(", ");
}
