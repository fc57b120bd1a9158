import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Account, AccountSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { limitsOf, planFromName } from "../../access/plans.ts";
import type { AccountRecord } from "../../stores/account-store.ts";
import { optionalTimestamp } from "../usage/optional-timestamp.ts";

/** Converts a stored account to a message. */
export function accountMessage({
  choice,
  createdAt,
  disabledAt,
  ...account
}: AccountRecord): Account {
  const { perMinute, perDay } = limitsOf(choice);
  return create(AccountSchema, {
    ...account,
    plan: planFromName(choice.plan),
    limits: { perMinute: BigInt(perMinute), perDay: BigInt(perDay) },
    createdAt: timestampFromMs(createdAt),
    disabledAt: optionalTimestamp(disabledAt),
  });
}
