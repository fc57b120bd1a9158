/**
 * Verdicts of the admission scripts, which return their indexes in this list. `now_banned` is the verdict on the request
 * that causes a ban.
 */
export const verdicts = [
  "unknown",
  "revoked",
  "expired",
  "admitted",
  "limited",
  "banned",
  "now_banned",
  "disabled",
  "address_not_allowed",
] as const;
