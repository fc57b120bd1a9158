import type { RequestTarget } from "../../http/request-target.ts";
import { canonicalLiteral } from "./percent.ts";
import type { Route } from "./route.ts";
import type { Segment, Template } from "./template.ts";

/** What the HTTP method and target of a request select. */
export type Match =
  | {
      readonly kind: "route";
      readonly route: Route;
      /** Segments of the path as sent, without the verb. */
      readonly segments: readonly string[];
      /** What comes after `?`; "" when there is nothing. */
      readonly query: string;
    }
  | { readonly kind: "not_found" }
  /** `allow`: value of the Allow header, the methods of the path. */
  | { readonly kind: "method_not_allowed"; readonly allow: string }
  | { readonly kind: "options"; readonly allow: string };

type RouteMatch = Extract<Match, { readonly kind: "route" }>;

/** Finds the route of a request. */
export type Matcher = (httpMethod: string, target: RequestTarget) => Match;

/**
 * Creates a matcher for routes.
 *
 * @throws Error when two routes conflict
 */
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
    const ofMethod = fixed.getOrInsertComputed(httpMethod, () => new Map());
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
export interface Routable {
  /** HTTP method in upper case, or `*` for any. */
  readonly httpMethod: string;
  readonly template: Template;
  /** Name for the error message about conflicting rules. */
  readonly name: string;
}

/** The matching route, or the methods that the path allows. */
type Found<R extends Routable> =
  | {
      readonly route: R;
      /** Segments of the path as sent, without the verb. */
      readonly segments: readonly string[];
    }
  | {
      /** Methods of the path; empty when there is no such path. */
      readonly allowed: ReadonlySet<string>;
    };

/** Finds the rule for the method and path of a request. The path is not percent-decoded. */
export type Router<R extends Routable> = (httpMethod: string, rawPath: string) => Found<R>;

/** The rules of one template by HTTP method. */
type Leaf<R> = Map<string, R>;

interface Node<R> {
  readonly literals: Map<string, Node<R>>;
  star: Node<R> | undefined;
  /** By verb: rules whose template ends here. */
  readonly ends: Map<string, Leaf<R>>;
  /** By verb: rules whose template continues with `**`. */
  readonly deeps: Map<string, Leaf<R>>;
}

/** Lengths of the longest texts, as sent, that can match. Longer texts are not decoded. */
interface Longest {
  /** Length of the longest spelling of a literal segment. */
  literal: number;
  /** Length of the longest spelling of a verb. */
  verb: number;
}

/** The state of a search. */
interface Search<R> {
  readonly segments: string[];
  /** The last segment as sent; "" when the path has no segments. */
  readonly last: string;
  readonly longest: Longest;
  /** Whether to try templates whose last segment is a literal. */
  literals: boolean;
  /** The verb that must follow a wildcard, "" for none; undefined to skip wildcards. */
  verb: string | undefined;
  /** Length of the last segment before that verb. */
  verbStart: number;
  /** The rules of the matching template; undefined when there is none. */
  leaf: Leaf<R> | undefined;
}

/**
 * Creates a router for rules.
 *
 * Paths are matched segment by segment, before percent-decoding. A literal takes precedence over `*`, and
 * `*` over `**`. Empty segments match nothing. One template, the best match, serves a path for every
 * method. OpenAPI too matches concrete paths before templated ones
 * (https://spec.openapis.org/oas/v3.1.1.html#paths-object).
 *
 * A colon in the last segment is first matched with rules that contain it, in a verb or a literal. Clients
 * percent-encode a colon in the value of a variable (google/api/http.proto). If rules contain several of
 * the colons, the first one counts, so the longest verb wins.
 *
 * @throws Error that names both rules when they have the same method and match the same paths
 */
export function createRouter<R extends Routable>(routes: readonly R[]): Router<R> {
  const root = createNode<R>();
  const longest: Longest = { literal: 0, verb: 0 };
  const verbs = new Set<string>();
  const shapes = new Map<string, R>();
  for (const route of routes) {
    const shape = `${route.httpMethod} ${shapeOf(route.template)}`;
    const other = shapes.get(shape);
    if (other) throw new Error(`${route.name} and ${other.name} both serve ${shape}`);
    shapes.set(shape, route);
    insert(root, route);
    measure(route.template, longest);
    if (route.template.verb !== "") verbs.add(route.template.verb);
  }
  return (httpMethod, rawPath) => {
    const segments = rawPath === "/" ? [] : rawPath.slice(1).split("/");
    const last = segments.at(-1) ?? "";
    const search: Search<R> = {
      segments,
      last,
      longest,
      literals: true,
      verb: "",
      verbStart: last.length,
      leaf: undefined,
    };
    if (rawPath.startsWith("/") && !segments.includes("")) {
      if (!last.includes(":") || !walkByColon(root, search, verbs)) walk(root, 0, search);
    }
    const { leaf } = search;
    const route = leaf && routeFor(leaf, httpMethod);
    return route ? { route, segments } : { allowed: new Set(leaf?.keys()) };
  };
}

/**
 * Searches for rules that contain a colon of the last segment. Afterwards the search is ready for rules
 * without a colon.
 *
 * Only the last characters are searched for a verb, up to the length of the longest verb. So the cost does not
 * grow with the length of the segment or the number of its colons.
 *
 * @returns whether a template matches
 */
function walkByColon<R>(root: Node<R>, search: Search<R>, verbs: ReadonlySet<string>): boolean {
  const { last, longest } = search;
  const firstVerb = Math.max(1, last.length - 1 - longest.verb);
  for (let colon = last.indexOf(":"); colon >= 0; ) {
    const verb = colon < firstVerb ? undefined : canonicalLiteral(last.slice(colon + 1));
    search.verb = verb !== undefined && verbs.has(verb) ? verb : undefined;
    search.verbStart = colon;
    if (search.literals || search.verb !== undefined) {
      if (walk(root, 0, search)) return true;
      search.literals = false;
    }
    colon = last.indexOf(":", Math.max(colon + 1, firstVerb));
  }
  search.verb = "";
  search.verbStart = last.length;
  return false;
}

/** Returns the same text for two templates that match the same paths. */
function shapeOf({ segments, verb }: Template): string {
  const shape = segments.map((segment) =>
    segment.kind === "literal" ? segment.text : segment.kind,
  );
  // A verb after a literal matches the same paths as a literal that contains the colon.
  const colon = segments.at(-1)?.kind === "literal" ? "%3A" : ":";
  return `/${shape.join("/")}${verb && colon + verb}`;
}

/**
 * Updates `longest` with a template. Percent-encoding every character makes a text three times as long.
 */
function measure({ segments, verb }: Template, longest: Longest): void {
  longest.verb = Math.max(longest.verb, 3 * verb.length);
  for (const segment of segments) {
    if (segment.kind === "literal") {
      longest.literal = Math.max(longest.literal, 3 * segment.text.length);
    }
  }
}

function createNode<R>(): Node<R> {
  return { literals: new Map(), star: undefined, ends: new Map(), deeps: new Map() };
}

function insert<R extends Routable>(root: Node<R>, route: R): void {
  const { segments, verb } = route.template;
  let node = root;
  for (const segment of segments) {
    if (segment.kind === "**") break;
    node = childFor(node, segment);
  }
  const leaves = segments.at(-1)?.kind === "**" ? node.deeps : node.ends;
  leaves.getOrInsertComputed(verb, () => new Map()).set(route.httpMethod, route);
}

function childFor<R>(node: Node<R>, segment: Exclude<Segment, { kind: "**" }>): Node<R> {
  if (segment.kind === "literal") {
    return node.literals.getOrInsertComputed(segment.text, () => createNode());
  }
  node.star ??= createNode();
  return node.star;
}

/** @returns whether a template matches at this node or below */
function walk<R>(node: Node<R>, index: number, search: Search<R>): boolean {
  const { segments, literals } = search;
  const segment = segments[index];
  if (segment === undefined) {
    return take(node.ends.get(""), search) || take(node.deeps.get(""), search);
  }
  const isLast = index === segments.length - 1;
  if (literals || !isLast) {
    const literal = literalChild(node, segment, search.longest);
    if (literal && walk(literal, index + 1, search)) return true;
    if (isLast && takeLiteralWithVerb(node, search)) return true;
  }
  const { star } = node;
  if (star) {
    if (!isLast) {
      if (walk(star, index + 1, search)) return true;
    } else if (takeByVerb(star.ends, search) || takeByVerb(star.deeps, search)) {
      return true;
    }
  }
  return takeByVerb(node.deeps, search);
}

function literalChild<R>(node: Node<R>, raw: string, longest: Longest): Node<R> | undefined {
  if (raw.length > longest.literal) return undefined;
  return node.literals.get(raw) ?? node.literals.get(canonicalLiteral(raw));
}

/** Returns the rule for a method. A GET rule serves HEAD too. */
function routeFor<R>(leaf: Leaf<R>, httpMethod: string): R | undefined {
  const get = httpMethod === "HEAD" ? leaf.get("GET") : undefined;
  return leaf.get(httpMethod) ?? get ?? leaf.get("*");
}

/** Ends the search with a leaf. @returns whether there is one */
function take<R>(leaf: Leaf<R> | undefined, search: Search<R>): boolean {
  search.leaf = leaf;
  return leaf !== undefined;
}

/** Tries to split the last segment into a literal and a verb, at each colon that a verb can follow. */
function takeLiteralWithVerb<R>(node: Node<R>, search: Search<R>): boolean {
  const { last, longest } = search;
  const firstVerb = Math.max(1, last.length - 1 - longest.verb);
  for (let colon = last.indexOf(":", firstVerb); colon > 0; colon = last.indexOf(":", colon + 1)) {
    const child = literalChild(node, last.slice(0, colon), longest);
    const verb = canonicalLiteral(last.slice(colon + 1));
    if (!child || verb === "") continue;
    if (take(child.ends.get(verb), search) || take(child.deeps.get(verb), search)) {
      return cutLast(search, colon);
    }
  }
  return false;
}

/** Ends the search with the rules of a wildcard that the verb of this search follows. */
function takeByVerb<R>(leaves: ReadonlyMap<string, Leaf<R>>, search: Search<R>): boolean {
  const { verb, verbStart } = search;
  if (verb === undefined || !take(leaves.get(verb), search)) return false;
  return verb === "" || cutLast(search, verbStart);
}

function cutLast<R>({ segments, last }: Search<R>, length: number): true {
  segments[segments.length - 1] = last.slice(0, length);
  return true;
}
