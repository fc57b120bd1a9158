import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Key, KeySchema } from "../../../gen/admin/v1/admin_pb.ts";
import { accountOfKeyId } from "../../access/api-key.ts";
import type { KeyRecord } from "../../stores/account-store.ts";
import { optionalTimestamp } from "../usage/optional-timestamp.ts";

/** Converts a stored key to a message. */
export function keyMessage(key: KeyRecord): Key {
  return create(KeySchema, {
    keyId: key.keyId,
    accountId: accountOfKeyId(key.keyId),
    name: key.name,
    scopes: [...key.scopes],
    createdAt: timestampFromMs(key.createdAt),
    expiresAt: optionalTimestamp(key.expiresAt),
    revokedAt: optionalTimestamp(key.revokedAt),
    lastUsedAt: optionalTimestamp(key.lastUsedAt),
    bannedUntil: optionalTimestamp(key.bannedUntil),
  });
}
