import { useRef } from "preact/hooks";
import { inventory } from "../shared/api.ts";
import { session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { useQuery } from "../shared/use-query.ts";
import { pollIntervalMs } from "../usage/poll-interval.ts";
import type { Item } from "./item.ts";

/** Most pets of a call, by the contract. */
const atOnce = 100;
/** A hold can end without a change of the quantity, so levels are read again after this time, in milliseconds. */
const shortestStaleMs = 30_000;

/** Units that are on hold, by pet. */
export interface Levels {
  readonly held: ReadonlyMap<bigint, number>;
  /** Reads them again now. */
  reload(): void;
}

/** Reads how many units of pets are on hold, again after their quantities have changed, and from time to time. */
export function useLevels(items: readonly Pick<Item, "petId" | "quantity">[]): Levels {
  const { identity } = useStore(session);
  const current = useRef(items);
  current.current = items;
  const known = useRef(new Map<bigint, { quantity: number; held: number; readAt: number }>());
  const limits = identity?.limits ?? { perMinute: 60, perDay: 1_000 };
  const staleMs = Math.max(shortestStaleMs, pollIntervalMs(limits, Number.POSITIVE_INFINITY));
  const read = async (signal: AbortSignal) => {
    const needed = current.current.filter(({ petId, quantity }) => {
      const level = known.current.get(petId);
      return level?.quantity !== quantity || Date.now() - level.readAt > staleMs;
    });
    for (let from = 0; from < needed.length; from += atOnce) {
      const petIds = needed.slice(from, from + atOnce).map(({ petId }) => petId);
      const { levels } = await inventory.listStockLevels({ petIds }, { signal });
      for (const { petId, quantity = 0, held = 0 } of levels) {
        known.current.set(petId, { quantity, held, readAt: Date.now() });
      }
    }
    return new Map([...known.current].map(([petId, { held }]) => [petId, held]));
  };
  const ids = items.map(({ petId }) => petId).join();
  const { data = new Map(), reload } = useQuery(read, [ids], pollIntervalMs(limits, 0));
  return {
    held: data,
    reload() {
      known.current.clear();
      reload();
    },
  };
}
