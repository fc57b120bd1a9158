import { getOrInsert } from "../../call/get-or-insert.ts";
import type { RequestTarget } from "../../http/request-target.ts";
import { canonicalLiteral } from "./percent.ts";
import type { Route } from "./route.ts";

/** What the HTTP method and target of a request select. */
export type Match =
  | RouteMatch
  | { readonly kind: "not_found" }
  /** `allow`: value of the Allow header, the methods of the path. */
  | { readonly kind: "method_not_allowed"; readonly allow: string }
  | { readonly kind: "options"; readonly allow: string };

/** A request that matches a route. */
export interface RouteMatch extends FoundRoute<Route> {
  readonly kind: "route";
  /** What comes after `?`; "" when there is nothing. */
  readonly query: string;
}

/** Finds the route of a request. */
export type Matcher = (httpMethod: string, target: RequestTarget) => Match;

/** Creates a matcher for routes. @throws Error when two routes conflict */
export function createMatcher(routes: readonly Route[]): Matcher {
  const find = createRouter(routes);
  const fixed = fixedMatches(routes, find);
  const everyMethod = allowText(new Set(routes.map(({ httpMethod }) => httpMethod)));
  return (httpMethod, { path, query }) => {
    const known = fixed.get(httpMethod)?.get(path);
    if (known) return query === "" ? known : { ...known, query };
    if (path === "*" && httpMethod === "OPTIONS") return { kind: "options", allow: everyMethod };
    const found = find(httpMethod, path);
    if ("route" in found) return { kind: "route", ...found, query };
    if (found.allowed.size === 0) return { kind: "not_found" };
    const kind = httpMethod === "OPTIONS" ? "options" : "method_not_allowed";
    return { kind, allow: allowText(found.allowed) };
  };
}

/** Returns the matches of paths without variables, by HTTP method and path, so that they need no search. */
function fixedMatches(
  routes: readonly Route[],
  find: Router<Route>,
): ReadonlyMap<string, ReadonlyMap<string, RouteMatch>> {
  const fixed = new Map<string, Map<string, RouteMatch>>();
  for (const { httpMethod, template } of routes) {
    if (template.segments.some(({ kind }) => kind !== "literal")) continue;
    const found = find(httpMethod, template.text);
    if (!("route" in found)) continue;
    const ofMethod = getOrInsert(fixed, httpMethod, () => new Map());
    ofMethod.set(template.text, { kind: "route", ...found, query: "" });
  }
  return fixed;
}

/** Writes an Allow header. A path with GET serves HEAD too, and every path serves OPTIONS. */
function allowText(methods: ReadonlySet<string>): string {
  const all = new Set([...methods, "OPTIONS"]);
  all.delete("*");
  if (all.has("GET")) all.add("HEAD");
  return [...all].sort().join(", ");
}

/** The parts of a rule that a router uses. */
export type Routable = Pick<Route, "httpMethod" | "template" | "name">;

interface FoundRoute<R> {
  readonly route: R;
  /** Segments of the path as sent, without the verb. */
  readonly segments: readonly string[];
}

/**
 * Finds the rule for the method and path of a request. The path is not percent-decoded. Without a rule, returns the methods
 * that the path allows, none if there is no such path.
 */
export type Router<R extends Routable> = (
  httpMethod: string,
  rawPath: string,
) => FoundRoute<R> | { readonly allowed: ReadonlySet<string> };

/** The rules of one template. */
interface Entry<R> {
  /** Texts of literals and `*`, without a `**` at the end. */
  readonly segments: readonly string[];
  /** Whether `**` follows. */
  readonly isDeep: boolean;
  readonly verb: string;
  readonly byMethod: Map<string, R>;
}

/**
 * Creates a router for rules.
 *
 * Paths are matched segment by segment, before percent-decoding. A literal takes precedence over `*`, and `*` over `**`.
 * Empty segments match nothing. One template, the best match, serves a path for every method. OpenAPI too matches concrete
 * paths before templated ones (https://spec.openapis.org/oas/v3.1.1.html#paths-object).
 *
 * A colon in the last segment is first matched with rules that contain it, in a verb or a literal. Clients percent-encode a
 * colon in the value of a variable (google/api/http.proto). If rules contain several of the colons, the first one counts, so
 * the longest verb wins.
 *
 * @throws Error that names both rules when they have the same method and match the same paths
 */
export function createRouter<R extends Routable>(routes: readonly R[]): Router<R> {
  const entries = entriesOf(routes);
  const verbs: ReadonlySet<string | undefined> = new Set(entries.map(({ verb }) => verb));
  // Percent-encoding makes a text three times as long.
  const longestVerb = 3 * longest(entries.map(({ verb }) => verb));
  const longestLiteral = 3 * longest(entries.flatMap(({ segments }) => segments));
  const depth = longest(entries.map(({ segments }) => segments));
  /** The templates by the number of segments of a path. A longer path matches the same ones as one of `depth + 1`. */
  const byCount = Array.from({ length: depth + 2 }, (_, count) =>
    entries.filter(({ segments: { length }, isDeep }) =>
      isDeep ? length <= count : length === count,
    ),
  );
  return (httpMethod, rawPath) => {
    const segments = rawPath === "/" ? [] : rawPath.slice(1).split("/");
    if (!rawPath.startsWith("/") || segments.includes("")) return { allowed: new Set() };
    const candidates = byCount[Math.min(segments.length, depth + 1)] ?? [];
    const canonical = segments.slice(0, depth);
    for (const [index, raw] of canonical.entries()) {
      if (raw.length <= longestLiteral) canonical[index] = canonicalLiteral(raw);
    }
    const last = segments.at(-1) ?? "";
    // Only so many characters at the end are searched, so that the cost does not grow with the number of colons.
    const firstVerb = Math.max(1, last.length - 1 - longestVerb);
    let colon = last.indexOf(":");
    for (let isFirst = true; ; isFirst = false) {
      const isVerb = colon >= firstVerb && colon < last.length - 1;
      const verb = colon < 0 ? "" : isVerb ? canonicalLiteral(last.slice(colon + 1)) : undefined;
      for (const entry of isFirst || verbs.has(verb) ? candidates : []) {
        const end = endOf(entry, segments, canonical, verb, colon, isFirst);
        if (end < 0) continue;
        if (end < last.length) segments[segments.length - 1] = last.slice(0, end);
        const route = routeFor(entry.byMethod, httpMethod);
        return route ? { route, segments } : { allowed: new Set(entry.byMethod.keys()) };
      }
      if (colon < 0) return { allowed: new Set() };
      colon = last.indexOf(":", Math.max(colon + 1, firstVerb));
    }
  };
}

/** Groups rules by their templates, in the order in which these are tried. */
function entriesOf<R extends Routable>(routes: readonly R[]): Entry<R>[] {
  const shapes = new Map<string, R>();
  const entries = new Map<string, Entry<R> & { readonly rank: string }>();
  for (const route of routes) {
    const { segments, verb } = route.template;
    const texts = segments.map((segment) =>
      segment.kind === "literal" ? segment.text : segment.kind,
    );
    // A verb after a literal matches the same paths as a literal that contains the colon.
    const colon = segments.at(-1)?.kind === "literal" ? "%3A" : ":";
    const path = `/${texts.join("/")}`;
    const shape = `${route.httpMethod} ${path}${verb && colon + verb}`;
    const other = shapes.get(shape);
    if (other) throw new Error(`${route.name} and ${other.name} both serve ${shape}`);
    shapes.set(shape, route);
    const { byMethod } = getOrInsert(entries, `${path}:${verb}`, () => {
      const isDeep = texts.at(-1) === "**";
      const rank = segments.map(({ kind }) => ["literal", "*", "**"].indexOf(kind)).join("");
      return {
        rank,
        segments: isDeep ? texts.slice(0, -1) : texts,
        isDeep,
        verb,
        byMethod: new Map(),
      };
    });
    byMethod.set(route.httpMethod, route);
  }
  return [...entries.values()].sort((a, b) => {
    if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1;
    return a.verb === "" || b.verb === ""
      ? a.verb.length - b.verb.length
      : b.verb.length - a.verb.length;
  });
}

function longest(texts: readonly { readonly length: number }[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

/**
 * Compares a template with a path.
 *
 * @param canonical the first segments of the path in canonical spelling, unless they are longer than any literal
 * @param verb the verb that must follow a wildcard, "" for none; undefined to skip templates that end with a wildcard
 * @param colon where the verb begins in the last segment; -1 for none
 * @param literals whether to try templates that end with a literal, with or without a verb
 * @returns the length of the last segment without the verb; -1 when the path does not match
 */
function endOf<R>(
  { segments, verb: own }: Entry<R>,
  path: readonly string[],
  canonical: readonly string[],
  verb: string | undefined,
  colon: number,
  literals: boolean,
): number {
  const last = path.at(-1) ?? "";
  const literal = segments.length === path.length ? segments.at(-1) : "*";
  const isWild = literal === "*" || literal === undefined;
  if (isWild ? own !== verb : !literals) return -1;
  const compared = isWild || own === "" ? segments.length : path.length - 1;
  for (let index = 0; index < compared; index += 1) {
    if (segments[index] !== "*" && segments[index] !== canonical[index]) return -1;
  }
  if (isWild && colon >= 0) return colon;
  if (isWild || own === "") return last.length;
  if (last.length > 3 * (literal.length + own.length) + 1) return -1;
  for (let at = last.indexOf(":"); at >= 0; at = last.indexOf(":", at + 1)) {
    const text = canonicalLiteral(last.slice(0, at));
    if (text === literal && canonicalLiteral(last.slice(at + 1)) === own) return at;
  }
  return -1;
}

/** Returns the rule for a method. A GET rule serves HEAD too. */
function routeFor<R>(byMethod: ReadonlyMap<string, R>, httpMethod: string): R | undefined {
  const get = httpMethod === "HEAD" ? byMethod.get("GET") : undefined;
  return byMethod.get(httpMethod) ?? get ?? byMethod.get("*");
}
