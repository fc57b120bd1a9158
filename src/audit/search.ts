import type { CallContext } from "../common/call-context.ts";
import {
  type AuditEntry,
  type AuditStore,
  maxEntriesAtOnce,
  type TrailEnds,
} from "../stores/audit-store.ts";
import { type Actor, decodeBody, type EntryBody } from "./body.ts";

/** Which entries to find. Absent members match all. */
export interface TrailFilter {
  /** Key id, account id, `user@host` (see {@link operatorText}) or user. */
  readonly actor?: string;
  /** The whole method or command, or the name after its last `/`. */
  readonly method?: string;
  /** Kinds of {@link EntryBody}. */
  readonly kinds?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since?: number;
  /** Milliseconds since the epoch, exclusive. */
  readonly before?: number;
}

/** Most entries that one search reads, so that a filter that matches nothing cannot make a request expensive. */
const mostRead = 200;

/**
 * Finds entries, newest first.
 *
 * @param page.below only entries with a lower sequence number; all if undefined
 * @returns the entries; `last`, the entry before the next page, undefined on the last page; and the ends of the trail
 * @throws ConnectError unavailable
 */
export async function findEntries(
  store: Pick<AuditStore, "read">,
  filter: TrailFilter,
  { below, limit }: { readonly below: number | undefined; readonly limit: number },
  context?: CallContext,
) {
  const { ends } = await store.read(1, 0, context);
  let end = Math.min(below ?? ends.newest + 1, ends.newest + 1);
  if (filter.before !== undefined) {
    end = await firstAt(store, filter.before, [ends.oldest, end], context);
  }
  const matches = matcher(filter);
  let last: AuditEntry | undefined;
  const entries: AuditEntry[] = [];
  for (let read = 0; read < mostRead && end > ends.oldest; ) {
    const count = Math.min(maxEntriesAtOnce, end - ends.oldest);
    const page = await store.read(end - count, count, context);
    for (const entry of page.entries.toReversed()) {
      if (entry.sequence >= end) continue;
      last = entry;
      if (filter.since !== undefined && entry.time < filter.since) {
        return { entries, last: undefined, ends };
      }
      if (!matches(entry)) continue;
      entries.push(entry);
      if (entries.length === limit) return { entries, last: unlessOldest(entry, ends), ends };
    }
    end -= count;
    read += count;
  }
  return { entries, last: last && unlessOldest(last, ends), ends };
}

function unlessOldest(entry: AuditEntry, { oldest }: TrailEnds): AuditEntry | undefined {
  return entry.sequence > oldest ? entry : undefined;
}

/** Finds the first entry that is not older than a time. Times never decrease. @returns `end` if all are older */
async function firstAt(
  store: Pick<AuditStore, "read">,
  time: number,
  [oldest, end]: readonly [oldest: number, end: number],
  context: CallContext | undefined,
): Promise<number> {
  let [low, high] = [oldest, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { entries } = await store.read(middle, 1, context);
    const found = entries[0];
    if (found && found.time >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function matcher({ actor, method, kinds }: TrailFilter): (entry: AuditEntry) => boolean {
  if (actor === undefined && method === undefined && !kinds) return () => true;
  return ({ body }) => {
    const decoded = decodeBody(body);
    if (!decoded) return false;
    return (
      (kinds?.includes(decoded.kind) ?? true) &&
      (actor === undefined || isBy(actor, decoded)) &&
      (method === undefined || decoded.method === method || decoded.method.endsWith(`/${method}`))
    );
  };
}

function isBy(wanted: string, { actor, refused }: EntryBody): boolean {
  if (actor === undefined) return refused?.keys.includes(wanted) ?? false;
  if ("key" in actor) return actor.key === wanted || actor.account === wanted;
  return [operatorText(actor), actor.user, actor.sudo].includes(wanted);
}

/** Returns an operator as text: `user@host`, or `root(user)@host` if the user has used sudo. */
export function operatorText({ user, sudo, host }: Extract<Actor, { user: string }>): string {
  return `${user}${sudo === undefined ? "" : `(${sudo})`}@${host}`;
}
