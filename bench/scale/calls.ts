import { isDeepStrictEqual } from "node:util";
import { versionEntityTag } from "../../src/services/inventory/if-match.ts";
import { pageToken, startOfPage } from "../../src/services/inventory/page-token.ts";
import { newestChangeKey } from "../../src/stores/redis/keys.ts";
import { httpList, httpUpdate } from "../calls.ts";
import { benchItem } from "../items.ts";
import { type Call, freeCallers, holds } from "../load/call.ts";
import type { StockStage } from "./stock.ts";

/** Items per page. */
const pageSize = 10;
/** The maximum number of different requests. */
const mostValues = 10_000;

/** `GET /v1/inventory` for pages of 10 anywhere in the stock. */
export function pageCall({ items }: StockStage): Call {
  const starts = items - pageSize + 1;
  return {
    method: "GET",
    path: `/v1/inventory?pageSize=${pageSize}&pageToken={n}`,
    values: numbersBelow(starts).map((after) => pageToken("pet", BigInt(after))),
    headers: {},
    keys: freeCallers,
    status: 200,
    check: holds("the page", (body, token) => {
      const after = Number(startOfPage("pet", token));
      const wanted = Array.from({ length: pageSize }, (_, index) => benchItem(after + 1 + index));
      return isDeepStrictEqual(JSON.parse(body.toString()), wanted);
    }),
  };
}

/** `GET /v1/inventory/{petId}` for any pet. */
export function itemCall({ items }: StockStage): Call {
  return {
    method: "GET",
    path: "/v1/inventory/{n}",
    values: petIds(items),
    headers: {},
    keys: freeCallers,
    status: 200,
    check: holds("the item", (body, petId) =>
      isDeepStrictEqual(JSON.parse(body.toString()), benchItem(Number(petId))),
    ),
  };
}

/** `PATCH /v1/inventory/{petId}` for any pet. */
export function updateCall({ items }: StockStage): Call {
  const update = JSON.parse(String(httpUpdate.body));
  return {
    ...httpUpdate,
    values: petIds(items),
    check: holds("the updated item", (body, petId) =>
      isDeepStrictEqual(JSON.parse(body.toString()), { ...benchItem(Number(petId)), ...update }),
    ),
  };
}

/** `GET /v1/inventory` of a client that has the list already: everything but the sending is done. */
export async function knownListCall({ items, redis }: StockStage): Promise<Call> {
  const [version = "0"] = ((await redis.get(newestChangeKey)) ?? "").split("-");
  return {
    ...httpList(items, { "if-none-match": versionEntityTag(BigInt(version)) }),
    status: 304,
    check: holds("empty", (body) => body.byteLength === 0),
  };
}

function petIds(items: number): string[] {
  return numbersBelow(items).map((number) => String(number + 1));
}

/** Returns all integers from 0 to below a limit, or a random selection if there are too many. */
function numbersBelow(limit: number): number[] {
  return limit > mostValues
    ? Array.from({ length: mostValues }, () => Math.floor(Math.random() * limit))
    : Array.from({ length: limit }, (_, index) => index);
}
