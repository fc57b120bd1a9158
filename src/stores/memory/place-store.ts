import { leaseMs, type PlaceStore } from "../place-store.ts";

/** Makes the store of places in memory. @param now the clock, in milliseconds since the epoch */
export function createMemoryPlaceStore(now: () => number): PlaceStore {
  const places = new Map<string, string>();
  const leases = new Map<string, { readonly holder: string; readonly endsAt: number }>();
  return {
    async hold(name, holder, move) {
      const lease = leases.get(name);
      if (lease && lease.holder !== holder && lease.endsAt > now()) return "taken";
      leases.set(name, { holder, endsAt: now() + leaseMs });
      const place = places.get(name) ?? "";
      if (place !== move?.from) return { place };
      places.set(name, move.to);
      return { place: move.to };
    },
    async release(name, holder) {
      if (leases.get(name)?.holder === holder) leases.delete(name);
    },
  };
}
