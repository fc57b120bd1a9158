import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { NodeHeaders } from "../../packages/connect-gateway/src/call/headers.ts";
import {
  type RequestInfo,
  requestKey,
} from "../../packages/connect-gateway/src/call/request-info.ts";
import { type Caller, callerKey } from "../../src/access/caller.ts";

/** The parts of the context of a call that services and guards use. */
export function contextOf(
  caller: Pick<Caller, "accountId" | "keyId"> & Partial<Caller>,
  request: RequestInfo = requestKey.defaultValue,
): HandlerContext {
  const parts: Partial<HandlerContext> = {
    signal: new AbortController().signal,
    requestHeader: new NodeHeaders({}),
    responseHeader: new NodeHeaders({}),
    responseTrailer: new NodeHeaders({}),
    values: createContextValues()
      .set(callerKey, { scopes: new Set(), ...caller })
      .set(requestKey, request),
  };
  return parts as HandlerContext;
}
