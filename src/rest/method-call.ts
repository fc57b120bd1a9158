import { limitTime } from "../call/time-limit.ts";
import type { CallerWork } from "../http/caller-work.ts";
import { type ErrorTerms, errorBody } from "../http/error-response.ts";
import { joinConnection } from "../http/exchange/connection-streams.ts";
import { HttpCall } from "../http/http-call.ts";
import { invokeUnary } from "../http/invoke-unary.ts";
import { timeoutOf } from "../http/timeout-headers.ts";
import type { AnyMessage } from "./binding/message-field.ts";
import type { Route } from "./path/route.ts";
import { toErrorResponse } from "./response/error-mapping.ts";
import type { Exchange, HttpHeaders } from "./response/exchange.ts";
import { nextPageLink } from "./response/next-page.ts";
import { sendContent } from "./response/send.ts";
import { sendStream } from "./response/send-stream.ts";

const none: HttpHeaders = {};

/**
 * Calls a route's method and sends its response.
 *
 * @param work runs the calls for long pages
 * @param terms statuses, codes and headers of the errors that the service defines
 * @throws any error of the method; InvalidInput for a malformed timeout header
 */
export async function callMethod<Caller>(
  route: Route<Caller>,
  message: AnyMessage,
  exchange: Exchange,
  caller: Caller,
  work: CallerWork<Caller>,
  terms: ErrorTerms,
): Promise<void> {
  const { method, responseWriter } = route;
  const { request, response } = exchange;
  const call = new HttpCall(caller, request, response, timeoutOf(request));
  if (method.kind === "unary") {
    let link: string | undefined;
    const content = await invokeUnary(method, message, call, work, (result) => {
      link = route.paging && nextPageLink(route.paging, request.url ?? "/", result);
      return responseWriter.content(result);
    });
    const set = link === undefined ? (call.headersSet ?? none) : { ...call.headersSet, link };
    return sendContent(exchange, content, set, work, caller);
  }
  const limit = limitTime(call, call.deadline);
  call.onEnd(limit.end);
  const leaveConnection = joinConnection(request, limit.end);
  try {
    const bodyOf = (error: unknown) => errorBody(toErrorResponse(error, route, terms));
    const messages = method.invoke(message, call);
    await sendStream(exchange, call, work, responseWriter, messages, limit, bodyOf);
  } finally {
    limit.release();
    leaveConnection();
  }
}
