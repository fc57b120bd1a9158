/** Verdicts of the admission scripts, which return their indexes here. `now_banned`: the request has caused a ban. */
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
