import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Key, KeySchema } from "../../../gen/admin/v1/admin_pb.ts";
import { httpJson } from "../../contract/http-json.ts";
import { isoTime } from "../output/output.ts";
import { type Details, details } from "../output/table.ts";

/** Formats a key as JSON. */
export function keyJson(key: Key): string {
  return httpJson.encodeJson(KeySchema, key);
}

/** Formats a new key as human-readable text, with its secret. */
export function secretText(secret: string, key: Key): string {
  const note = "Save the key now: it is shown only once.";
  return [...details({ key: secret, ...propertiesOf(key) }).lines(), note].join("\n");
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
    scopes: scopes.join(",") + (scopes.includes("admin") ? " (includes all others)" : ""),
    "allowed addresses": allowedAddresses.join(","),
    state: stateText(key),
  };
}

/** Returns the current state of a key, such as `banned until 2026-11-02T09:30:00Z`. */
export function stateText(key: Key): string {
  const [state, time] = stateOf(key);
  const word = state === "banned" || state === "valid" ? " until" : "";
  return time ? `${state}${word} ${timeOr(time, "")}` : state;
}

/** Returns the current state of a key, and the time when it began or will end. */
export function stateOf({ revokedAt, expiresAt, bannedUntil }: Key) {
  if (revokedAt) return ["revoked", revokedAt] as const;
  if (expiresAt && timestampMs(expiresAt) <= Date.now()) return ["expired", expiresAt] as const;
  return bannedUntil ? (["banned", bannedUntil] as const) : (["valid", expiresAt] as const);
}

/** Formats a time as ISO 8601, to the second. Returns `absent` for undefined. */
export function timeOr(time: Timestamp | undefined, absent: string): string {
  return time ? isoTime(timestampMs(time)) : absent;
}
