import { peerAddress, statusSent } from "../http/node-http.ts";
import { requestIdOf } from "../http/request-id.ts";
import type { Log } from "../log.ts";
import type { RequestHandler } from "./listener-options.ts";

/**
 * Logs every request at level debug when its response is closed. API keys and bodies are never logged.
 *
 * @returns a function to be called with each request; undefined when the level is off, so that the log costs nothing
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
