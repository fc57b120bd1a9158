import { hash } from "node:crypto";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import type { CallContext } from "../../common/call-context.ts";
import type { HoldPage, HoldStore } from "../../stores/hold-store.ts";
import { defaultPageSize, pageToken, positionOfPage } from "../inventory/page-token.ts";

interface ListRequest {
  readonly pageSize?: number;
  readonly pageToken: string;
  readonly petId?: bigint;
  readonly state: readonly HoldState[];
}

/**
 * Returns a page of holds, and the token of the next one. A token belongs to the filters of its request.
 *
 * @param accountId empty for all accounts
 * @throws ConnectError invalid_argument when the token is another list's
 */
export async function holdPage(
  store: HoldStore,
  accountId: string,
  { pageSize = defaultPageSize, pageToken: token, petId, state }: ListRequest,
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
