import { guarded } from "../../call/guard.ts";
import { setReadTimeout } from "../../call/read-timeout.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import { removeBodyHeaders, sendError } from "../../http/send-error.ts";
import { protocolErrors } from "./protocol-errors.ts";

/** Refuses a request with 408, or aborts its response, unless its body arrives in time. @param timeoutMs from now, in milliseconds */
export function limitBodyTime(response: Exchange, timeoutMs: number): void {
  const refuse = () => {
    removeBodyHeaders(response);
    sendError(response, protocolErrors.requestTimeout);
  };
  const deadline = setReadTimeout(
    guarded(
      (error) => response.fail(error),
      () => response.timeOutBody(refuse),
    ),
    timeoutMs,
  );
  response.on("close", () => deadline.cancel());
}

/** Returns a function that limits the time of a body that does not arrive in the tick of its headers, as most bodies do. */
export function limitBodiesAfterTick(timeoutMs: number): (response: Exchange) => void {
  let responses: Exchange[] = [];
  const limit = () => {
    const due = responses;
    responses = [];
    for (const each of due) if (!each.destroyed && !each.complete) limitBodyTime(each, timeoutMs);
  };
  return (response) => {
    if (responses.push(response) === 1) setImmediate(limit);
  };
}
