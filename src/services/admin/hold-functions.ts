import type { ServiceImpl } from "@connectrpc/connect";
import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { PayFor } from "../../access/change-paid.ts";
import { storeContext } from "../../common/call-context.ts";
import type { Stores } from "../../stores/stores.ts";
import { holdMessage, holdPage, readHold, requireHeld } from "../holds/hold-functions.ts";
import { recordOrigin } from "../inventory/change-once.ts";

/** Creates the methods of admin.v1.AdminService for holds. */
export function holdFunctions({ holds: store }: Pick<Stores, "holds">, payFor: PayFor) {
  const payRelease = payFor(AdminService.method.releaseHold);
  return {
    async listHolds(request, context) {
      const { accountId } = request;
      const page = await holdPage(store, accountId, request, storeContext(context));
      return {
        ...page,
        holds: page.holds.map((hold) => ({ accountId: hold.accountId, hold: holdMessage(hold) })),
      };
    },
    async getHold({ accountId, holdId }, context) {
      return { hold: await readHold(store, accountId, holdId, storeContext(context)) };
    },
    async releaseHold({ accountId, holdId }, context) {
      // The change belongs to the hold's account, which must not see the key of the operator.
      const origin = { ...recordOrigin(context, { reason: ChangeReason.HOLD_ENDED }), keyId: "" };
      const outcome = await payRelease(context, (paid) =>
        store.release(accountId, holdId, { origin, context: storeContext(context), paid }),
      );
      return { hold: requireHeld(holdId, outcome) };
    },
  } satisfies Partial<ServiceImpl<typeof AdminService>>;
}
