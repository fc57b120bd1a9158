import type { Keys, Target } from "./attack.ts";
import { ask, attacker, bearer, http1 } from "./wire.ts";

/** The response to a unary Connect call. */
export interface RpcReply {
  readonly status: number;
  readonly body: string;
}

/** Makes a unary Connect call with JSON, on a new connection. */
export async function call(
  target: Target,
  method: string,
  message: object,
  key: keyof Keys,
): Promise<RpcReply> {
  const { status, text } = await ask(
    target,
    http1(
      "POST",
      `/${method}`,
      {
        ...bearer(target.keys[key]),
        "content-type": "application/json",
        "connect-protocol-version": "1",
      },
      JSON.stringify(message),
    ),
    { from: attacker(3) },
  );
  return { status, body: text.slice(text.indexOf("\r\n\r\n") + 4) };
}
