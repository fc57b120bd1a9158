import { hash } from "node:crypto";
import type { Redis } from "ioredis";

/** The limits of every peer's accounts: never reached, but always counted. */
export const peerLimits = { perMinute: 1_000_000, perDay: 1_000_000_000 } as const;

/** Hash of all items: pet id to `<quantity>,<status>`. */
export const peerItemsKey = "peer:items";

/** String: the account of an API key. */
export function peerKey(secret: string): string {
  return `peer:key:${hash("sha256", secret)}`;
}

/** An item as the HTTP interface shows it. */
export interface PeerItem {
  readonly petId: number;
  readonly quantity: number;
  readonly status: string;
}

/** The account that a bearer key belongs to, looked up on every request. */
export async function accountOf(
  redis: Redis,
  authorization: string | undefined,
): Promise<string | undefined> {
  if (!authorization?.startsWith("Bearer ")) {
    return undefined;
  }
  return (await redis.get(peerKey(authorization.slice(7)))) ?? undefined;
}

/** All items, in ascending order of pet id. */
export async function listItems(redis: Redis): Promise<PeerItem[]> {
  const stored = await redis.hgetall(peerItemsKey);
  return Object.entries(stored)
    .map(([petId, item]) => itemOf(petId, item))
    .sort((a, b) => a.petId - b.petId);
}

/** Sets a quantity; undefined when there is no such pet. */
export async function setQuantity(
  redis: Redis,
  petId: string,
  quantity: number,
): Promise<PeerItem | undefined> {
  const stored = await redis.hget(peerItemsKey, petId);
  if (stored === null) {
    return undefined;
  }
  const item = { ...itemOf(petId, stored), quantity };
  await redis.hset(peerItemsKey, petId, `${quantity},${item.status}`);
  return item;
}

function itemOf(petId: string, stored: string): PeerItem {
  const [quantity, status = ""] = stored.split(",");
  return { petId: Number(petId), quantity: Number(quantity), status };
}
