import { timestampFromMs } from "@bufbuild/protobuf/wkt";

/** 9999-12-31T23:59:59.999Z, the last time that ProtoJSON can encode. */
const lastTimeMs = 253_402_300_799_999;

/** Converts a stored time. Earlier versions of the service stored times that are too late for ProtoJSON: they are capped. */
export function optionalTimestamp(ms: number | undefined) {
  return ms === undefined ? undefined : timestampFromMs(Math.min(ms, lastTimeMs));
}
