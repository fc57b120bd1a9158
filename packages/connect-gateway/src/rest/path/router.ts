import { getOrInsert } from "../../call/get-or-insert.ts";
import type { RequestTarget } from "../../http/request-target.ts";
import { canonicalLiteral } from "./percent.ts";
import type { Route } from "./route.ts";

/** What the HTTP method and target of a request select. */
export type Match =
  | RouteMatch
  | { readonly kind: "not_found" }
  /** `allow`: value of the Allow header, the methods of the path. */
  | { readonly kind: "method_not_allowed" | "options"; readonly allow: string };

export interface RouteMatch {
  readonly kind: "route";
  readonly route: Route;
  /** Segments of the path as sent, without the verb; none for a template without variables. */
  readonly segments: readonly string[];
  /** What comes after `?`; "" when there is nothing. */
  readonly query: string;
}

interface Entry {
  /** Texts of literals and `*`, without a `**` at the end. */
  readonly segments: readonly string[];
  /** Whether `**` follows. */
  readonly isDeep: boolean;
  readonly verb: string;
  readonly byMethod: Map<string, Route>;
}

const notFound: Match = { kind: "not_found" };

/**
 * Creates a function that finds the route of a request.
 *
 * Paths are matched segment by segment, before percent-decoding. A literal takes precedence over `*`, and `*` over `**`.
 * Empty segments match nothing. One template, the best match, serves a path for every method. OpenAPI too matches concrete
 * paths before templated ones (https://spec.openapis.org/oas/v3.1.1.html#paths-object).
 *
 * A colon in the last segment is first matched with rules that contain it, in a verb or a literal. Clients percent-encode a
 * colon in the value of a variable (google/api/http.proto). If rules contain several of the colons, the first one counts, so
 * the longest verb wins.
 *
 * @throws Error that names both routes when they have the same method and match the same paths
 */
export function createMatcher(
  routes: readonly Route[],
): (httpMethod: string, target: RequestTarget) => Match {
  const entries = entriesOf(routes);
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

  /** Finds the template of a path. Removes the verb from the last segment. */
  function find(segments: string[]): Entry | undefined {
    if (segments.includes("")) return undefined;
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
      for (const entry of candidates) {
        const { length } = entry.segments;
        const literal = length === segments.length ? entry.segments.at(-1) : "*";
        const isWild = literal === "*" || literal === undefined;
        // A literal can contain colons, so its verb is searched for once.
        if (isWild ? entry.verb !== verb : !isFirst) continue;
        const isWhole = isWild || entry.verb === "";
        if (!startsWith(canonical, entry.segments, isWhole ? length : length - 1)) continue;
        const end = isWild ? colon : isWhole ? -1 : verbAt(last, literal, entry.verb);
        if (!isWhole && end < 0) continue;
        if (end >= 0) segments[segments.length - 1] = last.slice(0, end);
        return entry;
      }
      if (colon < 0) return undefined;
      colon = last.indexOf(":", Math.max(colon + 1, firstVerb));
    }
  }

  /** The templates without variables, which need no search. */
  const fixed = new Map<string, Entry | undefined>();
  for (const { template } of routes) {
    const { text, segments } = template;
    if (segments.every(isLiteral)) fixed.set(text, find(split(text)));
  }
  const everyMethod = allowText(routes.map(({ httpMethod }) => httpMethod));

  return (httpMethod, { path, query }) => {
    if (path === "*" && httpMethod === "OPTIONS") return { kind: "options", allow: everyMethod };
    let segments = nothing;
    let entry = fixed.get(path);
    if (!entry) {
      if (!path.startsWith("/")) return notFound;
      segments = split(path);
      entry = find(segments);
      if (!entry) return notFound;
    }
    const route = routeFor(entry.byMethod, httpMethod);
    if (route) return { kind: "route", route, segments, query };
    const kind = httpMethod === "OPTIONS" ? "options" : "method_not_allowed";
    return { kind, allow: allowText(entry.byMethod.keys()) };
  };
}

const nothing: string[] = [];

function split(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

/** Writes an Allow header. A path with GET serves HEAD too, and every path serves OPTIONS. */
function allowText(methods: Iterable<string>): string {
  const all = new Set([...methods, "OPTIONS"]);
  all.delete("*");
  if (all.has("GET")) all.add("HEAD");
  return [...all].sort().join(", ");
}

function isLiteral(segment: string | undefined): boolean {
  return segment !== "*" && segment !== "**";
}

function entriesOf(routes: readonly Route[]): Entry[] {
  const shapes = new Map<string, Route>();
  const entries = new Map<string, Entry & { readonly rank: string }>();
  for (const route of routes) {
    const { segments, verb } = route.template;
    // A verb after a literal matches the same paths as a literal that contains the colon.
    const colon = isLiteral(segments.at(-1)) ? "%3A" : ":";
    const path = `/${segments.join("/")}`;
    const shape = `${route.httpMethod} ${path}${verb && colon + verb}`;
    const other = shapes.get(shape);
    if (other) throw new Error(`${route.name} and ${other.name} both serve ${shape}`);
    shapes.set(shape, route);
    const { byMethod } = getOrInsert(entries, `${path}:${verb}`, () => {
      const isDeep = segments.at(-1) === "**";
      const rank = segments.map((segment) => ["*", "**"].indexOf(segment) + 1).join("");
      const before = isDeep ? segments.slice(0, -1) : segments;
      return { rank, segments: before, isDeep, verb, byMethod: new Map() };
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

/** Returns whether a path begins with the first segments of a template. @param path in canonical spelling */
function startsWith(path: readonly string[], template: readonly string[], count: number): boolean {
  for (let index = 0; index < count; index += 1) {
    if (template[index] !== "*" && template[index] !== path[index]) return false;
  }
  return true;
}

/** Returns the index of the colon between a literal and a verb, which may be percent-encoded; -1 if they are not the segment. */
function verbAt(segment: string, literal: string, verb: string): number {
  if (segment.length > 3 * (literal.length + verb.length) + 1) return -1;
  for (let at = segment.indexOf(":"); at >= 0; at = segment.indexOf(":", at + 1)) {
    const text = canonicalLiteral(segment.slice(0, at));
    if (text === literal && canonicalLiteral(segment.slice(at + 1)) === verb) return at;
  }
  return -1;
}

/** Returns the route for a method. A GET route serves HEAD too. */
function routeFor(byMethod: ReadonlyMap<string, Route>, httpMethod: string): Route | undefined {
  const get = httpMethod === "HEAD" ? byMethod.get("GET") : undefined;
  return byMethod.get(httpMethod) ?? get ?? byMethod.get("*");
}
