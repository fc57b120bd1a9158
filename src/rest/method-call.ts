import { sendContent } from "./answer.ts";
import { sendStream } from "./answer-stream.ts";
import { HttpCall } from "./call.ts";
import { timeoutOf } from "./deadline.ts";
import type { Exchange } from "./exchange.ts";
import { httpErrorBody } from "./http-error.ts";
import type { AnyMessage } from "./message-field.ts";
import { retell } from "./retelling.ts";
import type { Route } from "./route.ts";
import { limitTime } from "./time-limit.ts";

/**
 * Calls a route's method and sends what it answers. Time that the client allows counts from here: how
 * long it takes to send its request is its own doing.
 *
 * @throws whatever the method has thrown; InvalidInput for a timeout that is malformed
 */
export async function callMethod<Caller>(
  route: Route<Caller>,
  message: AnyMessage,
  exchange: Exchange,
  caller: Caller,
): Promise<void> {
  const { method, answer } = route;
  const timeout = timeoutOf(exchange.request);
  const call = new HttpCall(caller, exchange.response);
  if (method.kind === "unary" && timeout === undefined) {
    const result = await method.invoke(message, call);
    await sendContent(exchange, answer.content(result), call.headersSet);
    return;
  }
  const limit = limitTime(call, timeout);
  try {
    if (method.kind === "unary") {
      const result = await limit.wait(method.invoke(message, call));
      await sendContent(exchange, answer.content(result), call.headersSet);
    } else {
      const errorBody = (error: unknown) => httpErrorBody(retell(error, route));
      await sendStream(exchange, call, answer, method.invoke(message, call), limit, errorBody);
    }
  } finally {
    limit.release();
  }
}
