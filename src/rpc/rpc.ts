import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Method } from "../call/method.ts";
import { otherOperation, type Protocol, settle } from "../call/request-record.ts";
import { CallerWork } from "../http/caller-work.ts";
import { cacheControl } from "../http/content/caching.ts";
import type { Endpoint, Endpoints } from "../http/endpoint.ts";
import { discardBody } from "../http/exchange/discard-body.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { splitTarget } from "../http/request-target.ts";
import { addMissingDetails } from "./error-details.ts";
import { errorOnlyResponse, protocolOf as protocolOfType } from "./refusal.ts";
import { createStreaming } from "./streaming.ts";
import { createUnary, type UnaryOptions } from "./unary.ts";

/** What the RPC interface needs. */
export interface RpcOptions<Caller> extends Omit<UnaryOptions<Caller>, "maxMessageBytes"> {
  readonly methods: readonly Method<Caller>[];
  /** Returns the size limit of a method's messages, in bytes after decompression. */
  readonly maxMessageBytes: (method: DescMethod) => number;
}

/** The RPC interface: serves methods by Connect, gRPC and gRPC-Web. */
export interface Rpc<Caller> extends Endpoints<Caller> {
  /** The endpoints of the methods, by their paths `/<package>.<Service>/<Method>`. */
  readonly byPath: ReadonlyMap<string, Endpoint<Caller>>;
}

/** Makes the RPC interface. */
export function createRpc<Caller>(given: RpcOptions<Caller>): Rpc<Caller> {
  const options = { ...given, work: given.work ?? new CallerWork<Caller>() };
  const { methods, missingDetails, reasonOf } = options;
  const streams = createStreaming({ ...options, refuse });
  const byPath = new Map(
    methods.map((method): [string, Endpoint<Caller>] => {
      const { desc } = method;
      const path = pathOf(method);
      const handle =
        method.kind === "unary"
          ? createUnary(method, { ...options, maxMessageBytes: options.maxMessageBytes(desc) })
          : streams(path);
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
    const contentType = request.headers["content-type"] ?? "";
    const { status, headers, body } = errorOnlyResponse(error, contentType);
    settle(response.record, protocolOf(request), error.code, reasonOf?.(error));
    const allHeaders: Record<string, string | number> = {
      ...cacheControl({ request, response }, undefined),
      ...Object.fromEntries(headers),
    };
    if (body) allHeaders["content-length"] = body.byteLength;
    discardBody(request, response);
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
          new ConnectError(`There is no method ${path}.`, Code.Unimplemented),
          // Connect requires 404 here: https://connectrpc.com/docs/protocol#http-to-error-code
          (status) => (status === 200 ? status : 404),
        );
      },
      refuse,
      protocolOf,
    },
  };
}

function protocolOf({ headers }: NodeServerRequest): Protocol {
  return protocolOfType(headers["content-type"] ?? "");
}

/** Returns the path of a method: `/<package>.<Service>/<Method>`. */
function pathOf<Caller>({ desc }: Method<Caller>): string {
  return `/${desc.parent.typeName}/${desc.name}`;
}
