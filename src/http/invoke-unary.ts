import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { UnaryMethod } from "../call/method.ts";
import { limitTime } from "../call/time-limit.ts";
import type { HttpCall } from "./http-call.ts";

/**
 * Calls a unary method and waits for its response until the call's deadline. If the deadline has passed already, the
 * method's implementation is not called.
 *
 * @throws any error of the method; ConnectError deadline_exceeded
 */
export async function invokeUnary<Caller>(
  method: UnaryMethod<Caller>,
  request: MessageShape<DescMessage>,
  call: HttpCall<Caller>,
): Promise<MessageShape<DescMessage>> {
  if (call.deadline === undefined) return method.invoke(request, call);
  const limit = limitTime(call, call.deadline);
  try {
    return await limit.wait(method.invoke(request, call));
  } finally {
    limit.release();
  }
}
