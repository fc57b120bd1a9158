import type { ConnectError } from "@connectrpc/connect";
import type { Admission, Admit } from "../access/admission.ts";
import type { Caller } from "../access/caller.ts";
import { limitHeaderNames } from "../access/limit-headers.ts";
import { publicError } from "../call/public-error.ts";
import {
  breakOff,
  type Handler,
  type NodeServerRequest,
  type NodeServerResponse,
  peerAddress,
} from "../http/node-http.ts";
import { httpRefusal } from "../rest/http-error.ts";
import type { Transcoder } from "../rest/transcoder.ts";
import { expectsRpc } from "../rpc/refusal.ts";
import type { Rpc } from "../rpc/rpc.ts";
import type { Cors } from "./cors.ts";

/** What stands behind the door. */
export interface FrontDoorOptions {
  /** What is open to everyone, by path: answered without a key. */
  readonly publicHandlers: ReadonlyMap<string, Handler>;
  readonly cors: Cors;
  readonly admit: Admit;
  readonly rest: Transcoder<Caller>;
  readonly rpc: Rpc<Caller>;
  /** Told of every error that is not a ConnectError: a bug. */
  onFault(error: unknown): void;
}

/** One side of the server, chosen for a request by its path. */
interface Destination {
  prepare(): void;
  handle(caller: Caller): void;
  refuse(error: ConnectError): void;
}

/**
 * Answers every request: what is public at once; all else after admission, which looks at the header
 * section alone and puts the caller's limits on the response before anything else can answer.
 */
export function createFrontDoor(
  options: FrontDoorOptions,
): (request: NodeServerRequest, response: NodeServerResponse) => void {
  const { publicHandlers, cors, admit, rest, rpc, onFault } = options;

  function destination(
    path: string,
    request: NodeServerRequest,
    response: NodeServerResponse,
  ): Destination {
    if (rpc.serves(path)) {
      return {
        prepare: () => rpc.prepare(path),
        handle: (caller) => rpc.handle(path, request, response, caller),
        refuse: (error) => rpc.refuse(request, response, error),
      };
    }
    const match = rest.match(request.method ?? "GET", request.url ?? "/");
    if (match.kind === "not_found" && expectsRpc(request)) {
      return {
        prepare: () => {},
        handle: () => rpc.refusePath(path, request, response),
        refuse: (error) => rpc.refuse(request, response, error),
      };
    }
    return {
      prepare: () => rest.prepare(match),
      handle: (caller) => void rest.handle(match, request, response, caller),
      refuse: (error) => rest.refuse(match, request, response, httpRefusal(error)),
    };
  }

  function decide(request: NodeServerRequest): Promise<Admission> {
    const { authorization, "x-forwarded-for": forwardedFor } = request.headers;
    return admit({
      authorization,
      peer: peerAddress(request),
      forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor,
    });
  }

  async function answer(request: NodeServerRequest, response: NodeServerResponse): Promise<void> {
    if (cors(request, response)) {
      return;
    }
    const path = pathOf(request.url ?? "/");
    const open = publicHandlers.get(path);
    if (open) {
      await open(request, response);
      return;
    }
    const { prepare, handle, refuse } = destination(path, request, response);
    let admission: Admission;
    try {
      const decision = decide(request);
      prepare();
      admission = await decision;
    } catch (error) {
      refuse(publicError(error, onFault));
      return;
    }
    const { limits } = admission;
    for (const name of limitHeaderNames) {
      response.setHeader(name, limits[name]);
    }
    if (admission.refusal) {
      refuse(admission.refusal);
    } else {
      handle(admission.caller);
    }
  }

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      onFault(error);
      breakOff(response);
    });
  };
}

function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}
