import { leaseMs, type PlaceStore } from "../../place-store.ts";
import type { Connection } from "../connection/connection.ts";
import { placeKey, placeLeaseKey } from "../keys.ts";
import { loadScript } from "../scripts.ts";

export function createRedisPlaceStore(connection: Connection): PlaceStore {
  const holdPlace = loadScript(connection, "hold-place");
  const releasePlace = loadScript(connection, "release-place");
  return {
    async hold(name, holder, move) {
      const keys = [placeLeaseKey(name), placeKey(name)];
      const args = [holder, leaseMs, move?.from ?? "", move?.to ?? ""];
      const [isHeld, place] = (await holdPlace(keys, args)) as [number, string];
      return isHeld === 0 ? "taken" : { place };
    },
    async release(name, holder) {
      await releasePlace([placeLeaseKey(name)], [holder]);
    },
  };
}
