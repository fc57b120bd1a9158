import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { ListHoldsRequest } from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { type Hold, HoldSchema, HoldState, StoreService } from "../../../gen/store/v1/store_pb.ts";
import { callerOf } from "../../access/caller.ts";
import type { Costs, PayFor } from "../../access/change-paid.ts";
import { keyInvalid } from "../../access/errors.ts";
import { type CallContext, storeContext } from "../../common/call-context.ts";
import type { HoldPage, HoldRecord, HoldStore } from "../../stores/hold-store.ts";
import type { Stores } from "../../stores/stores.ts";
import { recordOrigin } from "../inventory/change-once.ts";
import { defaultPageSize, pageToken, positionOfPage } from "../inventory/page-token.ts";
import {
  holdActive,
  holdEnded,
  holdLimitReached,
  holdNotFound,
  holdRefused,
  orderLimitReached,
} from "./errors.ts";

/** How long a hold lasts if the request does not say it, in seconds. */
const defaultTtlSeconds = 900;

/** The outcomes that all calls which change a hold share. */
type Outcome = Exclude<Awaited<ReturnType<HoldStore["confirm"]>>, Costs>;

/** Creates the functions of store.v1.StoreService for holds, which are those of the calling account. */
export function ownHoldFunctions({ holds }: Pick<Stores, "holds">, payFor: PayFor) {
  const { method } = StoreService;
  const payPut = payFor(method.putHold);

  /** Makes the function that ends a hold in a way. */
  function ending(way: "confirm" | "release", reason: ChangeReason) {
    const pay = payFor(method[`${way}Hold`]);
    return async ({ holdId }: { readonly holdId: string }, context: HandlerContext) => {
      const origin = recordOrigin(context, { reason });
      const { accountId } = callerOf(context);
      const outcome = await pay(context, (paid) =>
        holds[way](accountId, holdId, { origin, context: storeContext(context), paid }),
      );
      return { hold: requireHeld(holdId, outcome) };
    };
  }

  return {
    async putHold({ holdId, items, ttlSeconds = defaultTtlSeconds }, context) {
      const { accountId } = callerOf(context);
      const origin = recordOrigin(context, { reason: ChangeReason.HOLD });
      const held = items.map(({ petId, quantity }) => ({ petId, quantity }));
      // The contract allows no other value than `*`.
      const isNew = context.requestHeader.has("if-none-match");
      const wanted = { items: held, ttlMs: ttlSeconds * 1_000, isNew };
      const outcome = await payPut(context, (paid) =>
        holds.put(accountId, holdId, wanted, { origin, context: storeContext(context), paid }),
      );
      if (outcome.kind === "active") throw holdActive(holdId);
      if (outcome.kind === "limit") throw holdLimitReached(accountId);
      if (outcome.kind === "refused") throw holdRefused(outcome, held);
      return { hold: requireHeld(holdId, outcome) };
    },
    confirmHold: ending("confirm", ChangeReason.ORDER),
    releaseHold: ending("release", ChangeReason.HOLD_ENDED),
    async getHold({ holdId }, context) {
      const { accountId } = callerOf(context);
      return { hold: await readHold(holds, accountId, holdId, storeContext(context)) };
    },
    async listHolds(request, context) {
      const { accountId } = callerOf(context);
      const page = await holdPage(holds, accountId, request, storeContext(context));
      return { ...page, holds: page.holds.map(holdMessage) };
    },
  } satisfies Partial<ServiceImpl<typeof StoreService>>;
}

/** @throws ConnectError not_found if the account has no such hold */
export async function readHold(
  store: HoldStore,
  accountId: string,
  holdId: string,
  context: CallContext,
): Promise<Hold> {
  const hold = await store.get(accountId, holdId, context);
  if (!hold) throw holdNotFound(holdId);
  return holdMessage(hold);
}

/** Returns the hold of an outcome. @throws ConnectError when the hold is not as the call wants it */
export function requireHeld(holdId: string, outcome: Outcome): Hold {
  switch (outcome.kind) {
    case "held":
      return holdMessage(outcome.hold);
    case "ended":
      throw holdEnded(holdId, outcome.state);
    case "no_hold":
      throw holdNotFound(holdId);
    case "order_limit":
      throw orderLimitReached(outcome.most);
    case "no_account":
      // The account was deleted after the request was admitted. Its keys do not exist any more.
      throw keyInvalid();
  }
}

/** Returns a page of holds. @param accountId empty for all @throws ConnectError invalid_argument for the token of another list */
export async function holdPage(
  store: HoldStore,
  accountId: string,
  {
    pageSize = defaultPageSize,
    pageToken: token,
    petId,
    state,
  }: Omit<ListHoldsRequest, "$typeName" | "accountId">,
  context: CallContext,
): Promise<Pick<HoldPage, "holds"> & { readonly nextPageToken: string }> {
  const states = state.length > 0 ? [...new Set(state)].sort() : [HoldState.ACTIVE];
  const filters = hash("sha256", `${accountId} ${petId ?? ""} ${states}`, "hex").slice(0, 16);
  const [, life] = positionOfPage("hold", token, new RegExp(`^${filters} (\\d{1,16})$`)) ?? [];
  const before = life === undefined ? undefined : BigInt(life);
  const query = { accountId: accountId || undefined, petId, states, before, limit: pageSize };
  const { holds, next } = await store.list(query, context);
  const isLast = next === undefined;
  return { holds, nextPageToken: isLast ? "" : pageToken("hold", `${filters} ${next}`) };
}

export function holdMessage({ holdId, items, state, expiresAt, orderIds }: HoldRecord): Hold {
  return create(HoldSchema, {
    holdId,
    items: [...items],
    state,
    expiresAt: timestampFromMs(expiresAt),
    orderIds: [...orderIds],
  });
}
