import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../../access/caller.ts";
import type { PayFor } from "../../access/change-paid.ts";
import type { ServiceFunctions } from "../../call/service.ts";
import type { Stores } from "../../stores/stores.ts";
import { heldMessage, readHold } from "../holds/hold-functions.ts";
import { holdMessage } from "../holds/hold-message.ts";
import { holdPage } from "../holds/hold-pages.ts";
import { originOf } from "../inventory/inventory-service.ts";

/** Creates the methods of admin.v1.AdminService for holds. */
export function holdFunctions(stores: Pick<Stores, "holds">, payFor: PayFor) {
  const payRelease = payFor(AdminService.method.releaseHold);
  return {
    async listHolds(request, call) {
      const { holds, nextPageToken } = await holdPage(
        stores.holds,
        request.accountId,
        request,
        call,
      );
      return {
        holds: holds.map((hold) => ({ accountId: hold.accountId, hold: holdMessage(hold) })),
        nextPageToken,
      };
    },

    async getHold({ accountId, holdId }, call) {
      return { hold: await readHold(stores.holds, accountId, holdId, call) };
    },

    async releaseHold({ accountId, holdId }, call) {
      // The change belongs to the hold's account, which must not see the key of the operator.
      const origin = { ...originOf(call, { reason: ChangeReason.HOLD_ENDED }), keyId: "" };
      const outcome = await payRelease(call, (paid) =>
        stores.holds.release(accountId, holdId, origin, call, paid),
      );
      return { hold: heldMessage(holdId, outcome) };
    },
  } satisfies Partial<ServiceFunctions<typeof AdminService, Caller>>;
}
