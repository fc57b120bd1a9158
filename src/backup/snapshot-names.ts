import { readAhead } from "./read-ahead.ts";
import type { DataReader } from "./read-data.ts";
import type { NamesRecord } from "./records.ts";
import type { createSpool } from "./spool.ts";

/** The number of names in a page of those that have changed. */
const pageSize = 1_000;

/**
 * Reads the names of all pets into `spool`. Returns those that have changed in the meantime, by pet id, with which all
 * belong to one version of the catalogue; empty for a pet without any. Undefined if not all changes are known.
 */
export async function readNames(
  reader: DataReader,
  spool: Pick<Awaited<ReturnType<typeof createSpool<NamesRecord>>>, "write">,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  const changed = new Map<string, string>();
  let version = await reader.catalogVersion();

  /** @returns whether all changes are known */
  async function follow(): Promise<boolean> {
    for (let more = true; more; ) {
      const next = await reader.changedNames(version);
      if (!next) return false;
      ({ version, more } = next);
      for (const { named, names } of next.names) changed.set(named, names);
    }
    return true;
  }

  for await (const page of readAhead(reader.names())) {
    signal.throwIfAborted();
    await spool.write(page);
    if (!(await follow())) return undefined;
  }
  return (await follow()) ? changed : undefined;
}

/** Returns the names of some pets, from pages that were read and from those that have changed in the meantime. */
export async function* namesOf(
  petIds: ReadonlySet<string>,
  pages: AsyncIterable<readonly NamesRecord[]>,
  changed: ReadonlyMap<string, string>,
): AsyncGenerator<NamesRecord[]> {
  for await (const page of pages) {
    yield page.filter(({ named }) => petIds.has(named) && !changed.has(named));
  }
  const renamed = [...changed]
    .filter(([named, names]) => petIds.has(named) && names !== "")
    .map(([named, names]) => ({ named, names }));
  for (let at = 0; at < renamed.length; at += pageSize) yield renamed.slice(at, at + pageSize);
}
