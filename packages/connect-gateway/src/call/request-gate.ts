import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";

/** The context of a request whose body has not been read. */
export interface GateContext extends Omit<HandlerContext, "method" | "service"> {
  /** Undefined for a path that no method has. The gate decides on such a request, too. */
  readonly method: DescMethod | undefined;
  readonly service: DescService | undefined;
}

/**
 * Decides whether a request is served, by its headers alone. As Connect's `requestGate`, it can set values of the context and
 * headers of the response, which are sent with an error too. A decision has no effect after the client has disconnected or
 * its deadline has passed: the signal of the context is aborted then.
 *
 * @throws ConnectError when the request is refused
 */
export type RequestGate = (context: GateContext) => Promise<void> | void;

/** What is known of a request before the gate. It is asked for only when there is much to do. */
export interface BeforeGate {
  /** Returns whom a request comes from. Callers take turns. */
  callerOf(context: GateContext): unknown;
  /** Returns whether a request is refused first when there is too much to do, because nobody may vouch for it. */
  isAnonymous(context: GateContext): boolean;
}
