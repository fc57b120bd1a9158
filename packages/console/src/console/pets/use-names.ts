import { useEffect } from "preact/hooks";
import type { CatalogEntry } from "../../../../../gen/catalog/v1/catalog_pb.ts";
import { catalog } from "../shared/api.ts";
import { faultOf, isTransient } from "../shared/call-fault.ts";
import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { pollIntervalMs } from "../usage/poll-interval.ts";
import { knownNames, type Names, names, namesOf, unreadNames } from "./names.ts";

/** The version of the catalogue that was read. */
let version: bigint | undefined;
let reading: Promise<void> | undefined;
/** Entries that were changed here during the last read, which may not have them. */
const noted = new Map<bigint, CatalogEntry>();

/** Reads the names again if the catalogue has changed. @throws ConnectError */
export function readNames(): Promise<void> {
  reading ??= read().finally(() => {
    reading = undefined;
  });
  return reading;
}

async function read(): Promise<void> {
  const { key } = session.get();
  noted.clear();
  // A page of one entry has the version, too. The whole catalogue can have megabytes.
  const now = version === undefined ? undefined : await catalog.listPets({ pageSize: 1 });
  if (now && now.version === version) return;
  const list = await catalog.listPets({});
  if (key !== session.get().key) return;
  version = list.version;
  names.set(namesOf(list.entries));
  for (const entry of [...noted.values()]) noteNames(entry);
}

/** Keeps the names of an entry that a call has returned. */
export function noteNames(entry: CatalogEntry): void {
  const { petId, name, sku } = entry;
  const { byPet, bySku, isLoaded } = names.get();
  noted.set(petId, entry);
  const skus = new Map(bySku);
  skus.delete(byPet.get(petId)?.sku ?? "");
  if (sku !== "") skus.set(sku, petId);
  names.set({
    byPet: new Map([...byPet, [petId, knownNames({ name, sku })]]),
    bySku: skus,
    isLoaded,
  });
}

let users = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Returns the names. While a component uses them, they are read again from time to time, if the key may read them. */
export function useNames(): Names {
  const mayRead = hasScope(useStore(session), "inventory:read");
  useEffect(() => {
    if (!mayRead) return;
    users += 1;
    if (timer === undefined) timer = setTimeout(poll);
    return () => {
      users -= 1;
    };
  }, [mayRead]);
  return useStore(names);
}

/** How soon the names are read again after an error that can pass, or after a pet was added, in milliseconds. */
const soonMs = 3_000;

async function poll(): Promise<void> {
  const { key } = session.get();
  const fault = document.hidden ? undefined : await readNames().then(() => undefined, faultOf);
  if (key !== session.get().key) return;
  const { limits = { perMinute: 60, perDay: 1_000 } } = session.get().identity ?? {};
  const waitMs =
    fault && isTransient(fault)
      ? Math.max(soonMs, fault.retryAfterMs ?? 0)
      : pollIntervalMs(limits, Number.POSITIVE_INFINITY);
  timer = users > 0 ? setTimeout(poll, waitMs) : undefined;
}

let lateTimer: ReturnType<typeof setTimeout> | undefined;

/** Reads the names again in a moment, together with those of pets that are added until then. */
export function readNamesSoon(): void {
  if (lateTimer !== undefined) return;
  lateTimer = setTimeout(() => {
    // Otherwise, the next poll reads them.
    void readNames().catch(() => {});
    lateTimer = undefined;
  }, soonMs);
}

let lastKey = session.get().key;
session.subscribe(() => {
  const { key } = session.get();
  if (key === lastKey) return;
  // The names of one key must not be shown to the next one.
  lastKey = key;
  version = undefined;
  reading = undefined;
  clearTimeout(timer);
  timer = undefined;
  names.set(unreadNames);
});
