import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Key, KeySchema } from "../../gen/admin/v1/admin_pb.ts";
import { httpJson } from "../rest/json-form.ts";
import { details, isoTime } from "./output.ts";

/** A key as JSON. */
export function keyJson(key: Key): string {
  return httpJson.encodeJson(KeySchema, key);
}

/** A new key for people, with its secret. */
export function secretText(secret: string, key: Key): string {
  const note = "Keep the key now: it is shown this once, and stored nowhere.";
  return `${details({ key: secret, ...propertiesOf(key) })}\n${note}`;
}

/** A key for people. */
export function keyDetails(key: Key): string {
  return details(propertiesOf(key));
}

function propertiesOf(key: Key) {
  const { keyId, accountId, name, scopes } = key;
  return { id: keyId, account: accountId, name, scopes: scopes.join(","), state: stateOf(key) };
}

/** What becomes of requests with a key now, and until when. */
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

/** A moment for people, or what stands for none. */
export function timeOr(time: Timestamp | undefined, absent: string): string {
  return time ? isoTime(timestampMs(time)) : absent;
}
