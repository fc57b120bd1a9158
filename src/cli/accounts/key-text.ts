import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Key, KeySchema } from "../../../gen/admin/v1/admin_pb.ts";
import { httpJson } from "../../contract/http-json.ts";
import { type Details, details, isoTime } from "../output/output.ts";

/** Formats a key as JSON. */
export function keyJson(key: Key): string {
  return httpJson.encodeJson(KeySchema, key);
}

/** Formats a new key as human-readable text, with its secret. */
export function secretText(secret: string, key: Key): string {
  const note = "Save the key now: it is shown only once.";
  return `${details({ key: secret, ...propertiesOf(key) })}\n${note}`;
}

/** Formats a key as human-readable text. */
export function keyDetails(key: Key): Details {
  return details(propertiesOf(key));
}

function propertiesOf(key: Key) {
  const { keyId, accountId, name, scopes, allowedAddresses } = key;
  return {
    id: keyId,
    account: accountId,
    name,
    scopes: scopes.join(","),
    ...(allowedAddresses.length > 0 && { "allowed addresses": allowedAddresses.join(",") }),
    state: stateOf(key),
  };
}

/** Returns the current state of a key with its time, such as `banned until 2026-11-02T09:30:00Z`. */
export function stateOf({ revokedAt, expiresAt, bannedUntil }: Key): string {
  if (revokedAt) {
    return `revoked ${timeOr(revokedAt, "")}`;
  }
  if (expiresAt && timestampMs(expiresAt) <= Date.now()) {
    return `expired ${timeOr(expiresAt, "")}`;
  }
  if (bannedUntil) {
    return `banned until ${timeOr(bannedUntil, "")}`;
  }
  return expiresAt ? `valid until ${timeOr(expiresAt, "")}` : "valid";
}

/** Formats a time as ISO 8601, to the second. Returns `absent` for undefined. */
export function timeOr(time: Timestamp | undefined, absent: string): string {
  return time ? isoTime(timestampMs(time)) : absent;
}
