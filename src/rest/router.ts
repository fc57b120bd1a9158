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

/** A search under way. */
interface Search<R> {
  readonly httpMethod: string;
  readonly segments: string[];
  /** The last one of them, with the verb if there is one; "" when there are none. */
  readonly last: string;
  /** Methods of the rules that the path fits, as soon as there is one that does not fit. */
  allowed: Set<string> | undefined;
  route: R | undefined;
}

/**
 * Builds a router over rules.
 *
 * Paths are matched as sent, segment by segment: a literal is preferred to `*`, and `*` to `**`, and
 * what leads nowhere for the method is taken back. A `:verb` is told from text only by its being
 * registered at the place where it stands. Empty segments match nothing.
 *
 * @throws Error that names both when two rules have the same method and the same shape
 */
export function createRouter<R extends Routable>(routes: readonly R[]): Router<R> {
  const root = createNode<R>();
  const shapes = new Map<string, R>();
  for (const route of routes) {
    const shape = `${route.httpMethod} ${shapeOf(route.template)}`;
    const other = shapes.get(shape);
    if (other) throw new Error(`${route.name} and ${other.name} both answer ${shape}`);
    shapes.set(shape, route);
    insert(root, route);
  }
  return (httpMethod, rawPath) => {
    const segments = rawPath === "/" ? [] : rawPath.slice(1).split("/");
    const last = segments.at(-1) ?? "";
    const search: Search<R> = { httpMethod, segments, last, allowed: undefined, route: undefined };
    if (rawPath.startsWith("/") && !segments.includes("")) walk(root, 0, search);
    const { route, allowed } = search;
    return route ? { route, segments } : { allowed: allowed ?? nothing };
  };
}

const nothing: ReadonlySet<string> = new Set();

/** The same for two templates that no path tells apart: variables and percent-encoding set aside. */
function shapeOf({ segments, verb }: Template): string {
  const shape = segments.map((segment) =>
    segment.kind === "literal" ? segment.text : segment.kind,
  );
  // The colon of a verb after a literal is as good as one of the literal's own.
  const colon = segments.at(-1)?.kind === "literal" ? "%3A" : ":";
  return `/${shape.join("/")}${verb && colon + verb}`;
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

/** @returns whether a route was found at this node or below */
function walk<R>(node: Node<R>, index: number, search: Search<R>): boolean {
  const { segments } = search;
  const segment = segments[index];
  if (segment === undefined) {
    return take(node.ends.get(""), search) || take(node.deeps.get(""), search);
  }
  const literal = literalChild(node, segment);
  if (literal && walk(literal, index + 1, search)) return true;
  const isLast = index === segments.length - 1;
  if (isLast && takeLiteralWithVerb(node, search)) return true;
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

function literalChild<R>(node: Node<R>, raw: string): Node<R> | undefined {
  return node.literals.get(raw) ?? node.literals.get(canonicalLiteral(raw));
}

/** Takes the route for the method from a leaf; HEAD is answered wherever GET is. */
function take<R>(leaf: Leaf<R> | undefined, search: Search<R>): boolean {
  if (!leaf) return false;
  const { httpMethod } = search;
  search.route =
    leaf.get(httpMethod) ?? (httpMethod === "HEAD" ? leaf.get("GET") : undefined) ?? leaf.get("*");
  if (search.route) return true;
  search.allowed ??= new Set();
  for (const method of leaf.keys()) search.allowed.add(method);
  return false;
}

/** Literals are told from a verb by name, at every colon of the last segment. */
function takeLiteralWithVerb<R>(node: Node<R>, search: Search<R>): boolean {
  const { last } = search;
  for (let colon = last.indexOf(":", 1); colon > 0; colon = last.indexOf(":", colon + 1)) {
    const child = literalChild(node, last.slice(0, colon));
    const verb = canonicalLiteral(last.slice(colon + 1));
    if (!child || verb === "") continue;
    if (take(child.ends.get(verb), search) || take(child.deeps.get(verb), search)) {
      return cutLast(search, colon);
    }
  }
  return false;
}

/** The longest verb that is registered counts; without one the whole last segment is text. */
function takeByVerb<R>(leaves: ReadonlyMap<string, Leaf<R>>, search: Search<R>): boolean {
  const { last } = search;
  for (let colon = last.indexOf(":", 1); colon > 0; colon = last.indexOf(":", colon + 1)) {
    const verb = canonicalLiteral(last.slice(colon + 1));
    const leaf = verb === "" ? undefined : leaves.get(verb);
    if (leaf) return take(leaf, search) && cutLast(search, colon);
  }
  return take(leaves.get(""), search);
}

function cutLast<R>({ segments, last }: Search<R>, length: number): true {
  segments[segments.length - 1] = last.slice(0, length);
  return true;
}
