import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import type { Method } from "../call/method.ts";
import { otherOperation, settle } from "../call/request-record.ts";
import { CallerWork } from "../http/caller-work.ts";
import { cacheControl } from "../http/content/caching.ts";
import type { Endpoint, Endpoints } from "../http/endpoint.ts";
import { discardBody } from "../http/exchange/discard-body.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { splitTarget } from "../http/request-target.ts";
import type { ProtoJson, RefuseField } from "./codec.ts";
import { addMissingDetails, type MissingDetails } from "./error-details.ts";
import { rpcMediaTypeOf } from "./media-type.ts";
import { errorOnlyResponse, protocolOf } from "./refusal.ts";
import { createStreaming } from "./streaming.ts";
import { createUnary } from "./unary.ts";

/** What the RPC interface needs. */
export interface RpcOptions {
  readonly methods: readonly Method[];
  /** Runs the work of callers whose cost depends on their messages. */
  readonly work?: CallerWork;
  /** Returns the size limit of a method's messages, in bytes after decompression. */
  readonly maxMessageBytes: (method: DescMethod) => number;
  /** Reads and writes ProtoJSON. */
  readonly json: ProtoJson;
  /** Makes the error of a field that is out of its bounds. */
  readonly refuseField?: RefuseField;
  /** Returns the details to add to an error. The errors of the protocols have none. */
  readonly missingDetails: MissingDetails;
  /** Returns the stable reason of an error that is sent, for the record of the request. */
  readonly reasonOf?: (error: ConnectError) => string;
  /** Called with every error that is not a ConnectError, which is a bug. */
  readonly onFault: (error: unknown) => void;
}

/** The RPC interface: serves methods by Connect, gRPC and gRPC-Web. */
export interface Rpc extends Endpoints {
  /** The endpoints of the methods, by their paths `/<package>.<Service>/<Method>`. */
  readonly byPath: ReadonlyMap<string, Endpoint>;
}

/** Makes the RPC interface. */
export function createRpc(given: RpcOptions): Rpc {
  const options = { ...given, work: given.work ?? new CallerWork() };
  const { methods, missingDetails, reasonOf } = options;
  const byPath = new Map(
    methods.map((method): [string, Endpoint] => {
      const { desc } = method;
      const path = pathOf(method);
      const handle =
        method.kind === "unary" ? createUnary(method, options) : createStreaming(method, options);
      return [path, { method: desc, operation: { route: path }, handle, refuse, protocolOf }];
    }),
  );

  function refuse(
    request: NodeServerRequest,
    response: NodeServerResponse,
    error: ConnectError,
    statusFor = (status: number) => status,
  ): void {
    addMissingDetails(error, missingDetails);
    const { status, headers, body } = errorOnlyResponse(error, rpcMediaTypeOf(request));
    settle(response.record, protocolOf(request), error.code, reasonOf?.(error));
    const allHeaders: Record<string, string | number> = {
      ...cacheControl(response),
      ...Object.fromEntries(headers),
    };
    if (body) allHeaders["content-length"] = body.byteLength;
    discardBody(response);
    response.writeHead(statusFor(status), allHeaders);
    if (body) response.end(body);
    else response.end();
  }

  return {
    byPath,
    find: ({ path }) => byPath.get(path),
    unknown: {
      method: undefined,
      operation: otherOperation,
      handle(request, response) {
        const { path } = splitTarget(request.url ?? "/");
        refuse(
          request,
          response,
          callError(`There is no method ${path}.`, Code.Unimplemented),
          // Connect requires 404 here: https://connectrpc.com/docs/protocol#http-to-error-code
          (status) => (status === 200 ? status : 404),
        );
      },
      refuse,
      protocolOf,
    },
  };
}

/** Returns the path of a method: `/<package>.<Service>/<Method>`. */
function pathOf({ desc }: Method): string {
  return `/${desc.parent.typeName}/${desc.name}`;
}
