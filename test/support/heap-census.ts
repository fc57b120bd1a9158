import { readFileSync } from "node:fs";

/** The part of a heap snapshot of V8 that is read. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[], ...unknown[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[], ...unknown[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/** What a place of the heap holds. */
interface Held {
  objects: number;
  /** How many of them were not in the snapshot before. */
  added: number;
  /** Bytes of the tables of Maps, Sets and arrays that are new or have grown. Numbers in them are not objects. */
  tableBytes: number;
}

/** What is alive in a heap, by place: the names on the shortest path to it, without the indexes of elements. */
export interface HeapCensus {
  readonly places: Map<string, Held>;
  /** The objects, which keep their ids in all snapshots of a process. */
  readonly ids: ReadonlySet<number>;
}

/** Kinds of objects that come and go with the compiler, not with the program's data. */
const ofCompiler = new Set(["code", "object shape", "symbol"]);
/** The kind of what V8 puts between, as modules and their cells, through which the variables of a module are reached. */
const between = "hidden";

/** Tables of V8 that hold what is alive elsewhere, and edges to what describes an object. */
const skipped =
  /^(?:\(Internalized strings\)|\(External strings\)|\(Shareable object cache\)|native_context|map|shared|.*part of key.*)$/;

/**
 * Counts the live objects of a heap by place.
 *
 * @param file a snapshot of V8
 * @param before the census of an earlier snapshot of the process
 * @param allowed returns whether the objects of a place may stay, and what they hold is not looked at
 */
export function heapCensus(
  file: string,
  allowed: (place: string) => boolean,
  before?: HeapCensus,
): HeapCensus {
  const { snapshot, nodes, edges, strings } = JSON.parse(readFileSync(file, "utf8")) as Snapshot;
  const { node_fields: nodeFields, edge_fields: edgeFields } = snapshot.meta;
  const nodeTypes = snapshot.meta.node_types[0];
  const edgeTypes = snapshot.meta.edge_types[0];
  const width = nodeFields.length;
  const typeAt = nodeFields.indexOf("type");
  const nameAt = nodeFields.indexOf("name");
  const idAt = nodeFields.indexOf("id");
  const sizeAt = nodeFields.indexOf("self_size");
  const countAt = nodeFields.indexOf("edge_count");
  const at = (node: number, field: number) => nodes[node * width + field] ?? 0;
  const nodeName = (node: number) => strings[at(node, nameAt)] ?? "";

  const count = nodes.length / width;
  const firstEdges = new Uint32Array(count + 1);
  for (let node = 0; node < count; node += 1) {
    firstEdges[node + 1] = (firstEdges[node] ?? 0) + at(node, countAt);
  }

  const places = new Map<string, Held>();
  const ids = new Set<number>();
  const placeOf = new Array<string | undefined>(count);
  placeOf[0] = "";
  const queue = [0];
  for (const node of queue) {
    const place = placeOf[node] ?? "";
    const type = nodeTypes[at(node, typeAt)] ?? "";
    if (ofCompiler.has(type)) continue;
    if (type !== between) {
      const held = places.getOrInsertComputed(place, newHeld);
      const id = at(node, idAt);
      ids.add(id);
      held.objects += 1;
      const isNew = !before?.ids.has(id);
      if (isNew) held.added += 1;
      // The table of a WeakMap stays large for a while after its entries have gone.
      if (isNew && type === "array" && !place.includes(" Weak")) {
        held.tableBytes += at(node, sizeAt);
      }
    }
    for (let edge = firstEdges[node] ?? 0; edge < (firstEdges[node + 1] ?? 0); edge += 1) {
      const [edgeType, nameOrIndex, to] = edges.slice(
        edge * edgeFields.length,
        (edge + 1) * edgeFields.length,
      );
      const target = (to ?? 0) / width;
      const kind = edgeTypes[edgeType ?? 0] ?? "";
      if (kind === "weak" || placeOf[target] !== undefined) continue;
      const name = kind === "element" || kind === "hidden" ? "" : (strings[nameOrIndex ?? 0] ?? "");
      if (skipped.test(name) || skipped.test(nodeName(target))) continue;
      const next = placeBehind(place, name, nodeName(target));
      if (allowed(next)) continue;
      placeOf[target] = next;
      queue.push(target);
    }
  }
  return { places, ids };
}

/** What a place holds before anything is counted. */
export function newHeld(): Held {
  return { objects: 0, added: 0, tableBytes: 0 };
}

/**
 * Adds a step to a path. Numbers do not count, and of what links to its own kind, as in a list, only the first does.
 * The path begins anew at the variables of a function or module: which function led to them can change.
 */
function placeBehind(place: string, name: string, target: string): string {
  const type = /^[\w$ /()]{1,40}$/.test(target) ? target : "…";
  const step = `${name.replace(/^\d+(?:: |$)/, "")} ${type}`;
  if (step === "context system / Context") return "";
  if (place === "") return step;
  const steps = place.split(" > ");
  const known = steps.indexOf(step);
  return known < 0 ? `${place} > ${step}` : steps.slice(0, known + 1).join(" > ");
}

/**
 * Returns the places that hold more than before, and how much, without the places behind them.
 *
 * @param objects the fewest objects more. A table of that many numbers, which are not objects, also counts
 */
export function growth(before: HeapCensus, after: HeapCensus, objects: number): string[] {
  const grown: string[] = [];
  const shown: string[] = [];
  const byLength = [...after.places].toSorted(([a], [b]) => a.length - b.length);
  for (const [place, held] of byLength) {
    const had = before.places.get(place) ?? newHeld();
    const more = Math.min(held.objects - had.objects, held.added);
    const moreBytes = held.tableBytes - had.tableBytes;
    if (more < objects && moreBytes < 60 * objects) continue;
    if (shown.some((each) => place.startsWith(`${each} > `))) continue;
    shown.push(place);
    grown.push(`${place}: ${more} objects and ${moreBytes} bytes of tables more`);
  }
  return grown;
}
