import { limitTime } from "../call/time-limit.ts";
import { HttpCall } from "../http/http-call.ts";
import { invokeUnary } from "../http/invoke-unary.ts";
import { sendContent } from "./answer.ts";
import { sendStream } from "./answer-stream.ts";
import { timeoutOf } from "./deadline.ts";
import type { Exchange, HeaderFields } from "./exchange.ts";
import { type ErrorTerms, httpErrorBody } from "./http-error.ts";
import type { AnyMessage } from "./message-field.ts";
import { nextPageLink } from "./next-page.ts";
import { retell } from "./retelling.ts";
import type { Route } from "./route.ts";

const none: HeaderFields = {};

/**
 * Calls a route's method and sends what it answers.
 *
 * @param terms what the service knows of its errors
 * @throws whatever the method has thrown; InvalidInput for a timeout that is malformed
 */
export async function callMethod<Caller>(
  route: Route<Caller>,
  message: AnyMessage,
  exchange: Exchange,
  caller: Caller,
  terms: ErrorTerms,
): Promise<void> {
  const { method, answer } = route;
  const { request, response } = exchange;
  const call = new HttpCall(caller, request, response, timeoutOf(request));
  if (method.kind === "unary") {
    const result = await invokeUnary(method, message, call);
    const link = route.paging && nextPageLink(route.paging, request.url ?? "/", result);
    const set = link === undefined ? (call.headersSet ?? none) : { ...call.headersSet, link };
    const content = answer.content(result);
    return content instanceof Promise
      ? content.then((made) => sendContent(exchange, made, set))
      : sendContent(exchange, content, set);
  }
  const limit = limitTime(call, call.deadline);
  call.onEnd(limit.end);
  try {
    const errorBody = (error: unknown) => httpErrorBody(retell(error, route, terms));
    await sendStream(exchange, call, answer, method.invoke(message, call), limit, errorBody);
  } finally {
    limit.release();
  }
}
