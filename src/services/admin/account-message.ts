import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Account,
  AccountSchema,
  type Key,
  KeySchema,
  PlanSchema,
  WritePolicy,
} from "../../../gen/admin/v1/admin_pb.ts";
import { accountOfKeyId } from "../../access/api-key.ts";
import { networkText } from "../../access/network.ts";
import { limitsOf } from "../../access/plans.ts";
import { enumNumber } from "../../common/enum-word.ts";
import type { AccountRecord, KeyRecord } from "../../stores/account-store.ts";
import { optionalTimestamp } from "../usage/usage-message.ts";

export function accountMessage({
  choice,
  createdAt,
  disabledAt,
  isStrict,
  ...account
}: AccountRecord): Account {
  const { perMinute, perDay } = limitsOf(choice);
  return create(AccountSchema, {
    ...account,
    plan: enumNumber(PlanSchema, choice.plan),
    limits: { perMinute: BigInt(perMinute), perDay: BigInt(perDay) },
    createdAt: timestampFromMs(createdAt),
    disabledAt: optionalTimestamp(disabledAt),
    writePolicy: isStrict ? WritePolicy.STRICT : WritePolicy.ANY,
  });
}

export function keyMessage(key: KeyRecord): Key {
  return create(KeySchema, {
    keyId: key.keyId,
    accountId: accountOfKeyId(key.keyId),
    name: key.name,
    scopes: [...key.scopes],
    allowedAddresses: key.networks.map(networkText),
    createdAt: timestampFromMs(key.createdAt),
    expiresAt: optionalTimestamp(key.expiresAt),
    revokedAt: optionalTimestamp(key.revokedAt),
    lastUsedAt: optionalTimestamp(key.lastUsedAt),
    bannedUntil: optionalTimestamp(key.bannedUntil),
  });
}
