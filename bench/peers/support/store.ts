import { hash } from "node:crypto";
import type { Redis } from "ioredis";

/** The limits of all peers' accounts. They are counted, but never reached. */
export const peerLimits = { perMinute: 1_000_000, perDay: 1_000_000_000 } as const;

/** Hash of all items: pet id to `<quantity>,<status>`. */
export const peerItemsKey = "peer:items";

/** The same hash for `go-tuned`, with the field `version`, which every change increments. */
export const tunedItemsKey = "peer:tuned:items";

/** String: the account of an API key. */
export function peerKey(secret: string): string {
  return `peer:key:${hash("sha256", secret)}`;
}

/** An item in the HTTP interface. */
export interface PeerItem {
  readonly petId: number;
  readonly quantity: number;
  readonly status: string;
}

/** Looks up the account of a bearer key, for every request. */
export async function accountOf(
  redis: Redis,
  authorization: string | undefined,
): Promise<string | undefined> {
  if (!authorization?.startsWith("Bearer ")) return undefined;
  return (await redis.get(peerKey(authorization.slice(7)))) ?? undefined;
}

/** Returns all items in ascending order of pet id. */
export async function listItems(redis: Redis): Promise<PeerItem[]> {
  const stored = await redis.hgetall(peerItemsKey);
  return Object.entries(stored)
    .map(([petId, item]) => itemOf(petId, item))
    .sort((a, b) => a.petId - b.petId);
}

/** Sets a quantity. @returns undefined if the pet does not exist */
export async function setQuantity(
  redis: Redis,
  petId: string,
  quantity: number,
): Promise<PeerItem | undefined> {
  const stored = await redis.hget(peerItemsKey, petId);
  if (stored === null) return undefined;
  const item = { ...itemOf(petId, stored), quantity };
  await redis.hset(peerItemsKey, petId, `${quantity},${item.status}`);
  return item;
}

function itemOf(petId: string, stored: string): PeerItem {
  const [quantity, status = ""] = stored.split(",");
  return { petId: Number(petId), quantity: Number(quantity), status };
}
