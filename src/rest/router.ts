import { canonicalLiteral } from "./percent.ts";
import type { Segment, Template } from "./template.ts";

/** What a router needs to know of a rule. */
export interface Routable {
  /** HTTP method in upper case, or `*` for any. */
  readonly httpMethod: string;
  readonly template: Template;
  /** What to call it in a message about two rules that clash. */
  readonly name: string;
}

/** A path that was found, or the methods that would have been. */
type Found<R extends Routable> =
  | {
      readonly route: R;
      /** Segments of the path as sent, without the verb. */
      readonly segments: readonly string[];
    }
  | {
      /** Methods that the path answers; empty when there is no such path. */
      readonly allowed: ReadonlySet<string>;
    };

/** Finds the rule for a method and the raw path of a request. */
export type Router<R extends Routable> = (httpMethod: string, rawPath: string) => Found<R>;

/** Rules by HTTP method, at the end of a path. */
type Leaf<R> = Map<string, R>;

interface Node<R> {
  readonly literals: Map<string, Node<R>>;
  star: Node<R> | undefined;
  /** By verb: rules whose template ends here. */
  readonly ends: Map<string, Leaf<R>>;
  /** By verb: rules whose template goes on with `**`. */
  readonly deeps: Map<string, Leaf<R>>;
}

/** The longest texts that can match, as sent. Longer ones are not decoded. */
interface Longest {
  /** Length of the longest spelling of a literal segment. */
  literal: number;
  /** Length of the longest spelling of a verb. */
  verb: number;
}

/** A search under way. */
interface Search<R> {
  readonly segments: string[];
  /** The last segment as sent; "" when the path has no segments. */
  readonly last: string;
  readonly longest: Longest;
  /** Whether templates whose last segment is a literal are tried. */
  literals: boolean;
  /** The verb that a wildcard must be followed by, "" for none; undefined when no wildcard is tried. */
  verb: string | undefined;
  /** Length of the last segment without that verb. */
  verbStart: number;
  /** The rules of the template that fits; undefined when there is none. */
  leaf: Leaf<R> | undefined;
}

/**
 * Builds a router over rules.
 *
 * Paths are matched as sent, segment by segment: a literal is preferred to `*`, and `*` to `**`. Empty
 * segments match nothing. The template that fits best serves the path for every method, as in OpenAPI,
 * which matches concrete paths before templated ones
 * (https://spec.openapis.org/oas/v3.1.1.html#paths-object).
 *
 * A colon in the last segment belongs to a rule that names it, in a verb or a literal, if any such rule
 * fits. Clients percent-encode a colon that belongs to a variable (google/api/http.proto). Of several
 * colons the first that a rule names counts, so the longest verb wins.
 *
 * @throws Error that names both when two rules have the same method and the same shape
 */
export function createRouter<R extends Routable>(routes: readonly R[]): Router<R> {
  const root = createNode<R>();
  const longest: Longest = { literal: 0, verb: 0 };
  const verbs = new Set<string>();
  const shapes = new Map<string, R>();
  for (const route of routes) {
    const shape = `${route.httpMethod} ${shapeOf(route.template)}`;
    const other = shapes.get(shape);
    if (other) throw new Error(`${route.name} and ${other.name} both answer ${shape}`);
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
 * Looks for rules that name a colon of the last segment. Leaves the search ready for those that do not.
 *
 * Only as many characters as the longest verb has are read for verbs, so a long segment costs no more
 * than a short one, however many colons it has.
 *
 * @returns whether a template fits
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

/** The same for two templates that no path tells apart: variables and percent-encoding set aside. */
function shapeOf({ segments, verb }: Template): string {
  const shape = segments.map((segment) =>
    segment.kind === "literal" ? segment.text : segment.kind,
  );
  // The colon of a verb after a literal is as good as one of the literal's own.
  const colon = segments.at(-1)?.kind === "literal" ? "%3A" : ":";
  return `/${shape.join("/")}${verb && colon + verb}`;
}

/**
 * Updates `longest` with a template. The longest spelling of a text encodes each character that its
 * canonical spelling does not: three times the length is enough.
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

/** @returns whether a template fits at this node or below */
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

/** The rule for a method; HEAD is answered wherever GET is. */
function routeFor<R>(leaf: Leaf<R>, httpMethod: string): R | undefined {
  const get = httpMethod === "HEAD" ? leaf.get("GET") : undefined;
  return leaf.get(httpMethod) ?? get ?? leaf.get("*");
}

/** Ends the search with a leaf, if there is one. */
function take<R>(leaf: Leaf<R> | undefined, search: Search<R>): boolean {
  search.leaf = leaf;
  return leaf !== undefined;
}

/** Tries each colon of the last segment that a verb can follow: a literal before it, the verb after it. */
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

/** Takes the rules of a wildcard that is followed by the verb of this search. */
function takeByVerb<R>(leaves: ReadonlyMap<string, Leaf<R>>, search: Search<R>): boolean {
  const { verb, verbStart } = search;
  if (verb === undefined || !take(leaves.get(verb), search)) return false;
  return verb === "" || cutLast(search, verbStart);
}

function cutLast<R>({ segments, last }: Search<R>, length: number): true {
  segments[segments.length - 1] = last.slice(0, length);
  return true;
}
