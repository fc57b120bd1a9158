import { peerAddress, statusSent } from "../http/node-http.ts";
import { requestIdOf } from "../http/request-id.ts";
import type { Log } from "../log.ts";
import type { RequestHandler } from "./listener-options.ts";

/**
 * Logs every request once it is over, at level debug. Keys are never logged, nor are bodies.
 *
 * @returns what to call with each request; undefined where that level is off, so that nothing is spent on it
 */
export function accessLog(log: Log): RequestHandler | undefined {
  if (!log.isLevelEnabled("debug")) {
    return undefined;
  }
  return (request, response) => {
    const start = performance.now();
    const peer = peerAddress(request);
    const requestId = requestIdOf(response);
    response.once("close", () => {
      log.debug({
        method: request.method,
        target: request.url,
        status: statusSent(response),
        complete: response.writableFinished,
        ms: Math.round((performance.now() - start) * 1000) / 1000,
        peer,
        requestId,
      });
    });
  };
}
