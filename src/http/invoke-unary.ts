import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { UnaryMethod } from "../call/method.ts";
import { limitTime } from "../call/time-limit.ts";
import type { HttpCall } from "./http-call.ts";

/**
 * Calls a unary method, and waits for it as long as the client does. Time that the client allows counts
 * from here: how long it takes to send its request is its own doing.
 *
 * @throws whatever the method has thrown; ConnectError deadline_exceeded
 */
export async function invokeUnary<Caller>(
  method: UnaryMethod<Caller>,
  request: MessageShape<DescMessage>,
  call: HttpCall<Caller>,
): Promise<MessageShape<DescMessage>> {
  if (call.timeoutMs === undefined) return method.invoke(request, call);
  const limit = limitTime(call, call.timeoutMs);
  try {
    return await limit.wait(method.invoke(request, call));
  } finally {
    limit.release();
  }
}
