import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { agoText, secondText, timeText, utcText } from "./time-text.ts";

interface Props {
  readonly at: Timestamp;
  /** Whether seconds are shown. */
  readonly hasSeconds?: boolean;
  /** Shows how long ago it was at this time, in milliseconds since the epoch, instead of the time. */
  readonly agoAtMs?: number;
}

/** A time in the zone of the reader. On hover, it shows the time in UTC. */
export function Time({ at, hasSeconds = false, agoAtMs }: Props) {
  const utc = utcText(at);
  const local = hasSeconds ? secondText(at) : timeText(at);
  return (
    <time
      dateTime={new Date(timestampMs(at)).toISOString()}
      title={agoAtMs === undefined ? utc : `${local}, ${utc}`}
    >
      {agoAtMs === undefined ? local : agoText(at, agoAtMs)}
    </time>
  );
}
