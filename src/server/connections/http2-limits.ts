import type { ServerHttp2Session, ServerOptions } from "node:http2";
import type { CountWork } from "../load/read-scheduler.ts";
import { TokenBucket } from "../load/token-bucket.ts";

/**
 * Most open streams of a connection, as announced to the client and enforced by node. RFC 9113, section 6.5.2
 * recommends at least 100. Node also counts streams that were reset in the same read. So the limit has room for a client
 * that replaces 250 open calls at once. A stream beyond it is refused with ENHANCE_YOUR_CALM or REFUSED_STREAM.
 */
export const maxConcurrentStreams = 512;

/**
 * Streams per second that a client may cancel, and streams that it may cancel at once (CVE-2023-44487). A legitimate
 * client may cancel 1,000 calls per second. When the event loop is blocked, the cancellations of several seconds arrive
 * together.
 */
const maxResets = { atOnce: 5_000, perSecond: 5_000 };

/** Streams that node may refuse in a row. A client that cancels many calls in one read may exceed the limit of streams. */
const maxRejectedStreams = maxResets.atOnce;

/**
 * Memory of a session before node refuses new streams, in megabytes. The value is too high to be reached. Node adds the
 * unsent bytes of a stream that is reset and never subtracts them, so any real limit would end a connection after
 * enough cancelled long responses. UnreadLedger limits the memory instead.
 */
const maxSessionMemory = 1_000_000;

/** Returns the options of node's sessions. Node closes a connection that exceeds one of its limits. */
export function sessionOptions(maxHeaderBytes: number) {
  return {
    settings: { maxConcurrentStreams, maxHeaderListSize: maxHeaderBytes },
    maxSessionMemory,
    streamResetBurst: maxResets.atOnce,
    streamResetRate: maxResets.perSecond,
    maxSessionRejectedStreams: maxRejectedStreams,
    // The service sets no header twice, so node need not look for that in every response.
    strictSingleValueFields: false,
  } satisfies ServerOptions;
}

/**
 * PING and SETTINGS frames that are allowed at once and per second. gRPC clients send one PING per round trip to
 * measure the bandwidth, and others to keep the connection alive.
 */
const maxControlFrames = 5_000;
/** The work of such a frame, in requests, and its least length in bytes. */
const workOfControlFrame = 1 / 16;
const controlFrameBytes = 9;

/**
 * Bytes that are neither headers nor bodies of open streams, such as WINDOW_UPDATE frames: at once and per second. A
 * client that goes on sending bodies after their requests were refused may have as many. They are only counted while
 * they take much time.
 */
const maxOtherBytes = { atOnce: 16 * 1024 * 1024, perSecond: 4 * 1024 * 1024 };

/**
 * Limits the frames of a session that node does not limit.
 *
 * @param countWork called with the work of a frame that is limited here, and its length in bytes
 * @param onFlood called when the client exceeds a limit; it must end the session
 * @returns a function that counts bytes that are neither headers nor bodies of open streams
 */
export function limitFrames(
  session: ServerHttp2Session,
  countWork: CountWork,
  onFlood: () => void,
): (bytes: number) => void {
  const controlFrames = new TokenBucket(maxControlFrames, maxControlFrames);
  const otherBytes = new TokenBucket(maxOtherBytes.atOnce, maxOtherBytes.perSecond);
  const take = (bucket: TokenBucket, tokens: number) => {
    if (!session.closed && !bucket.take(tokens)) onFlood();
  };
  const count = () => {
    countWork(workOfControlFrame, controlFrameBytes);
    take(controlFrames, 1);
  };
  session.on("ping", count);
  // The first SETTINGS frame begins the connection.
  session.once("remoteSettings", () => session.on("remoteSettings", count));
  return (bytes) => take(otherBytes, bytes);
}
