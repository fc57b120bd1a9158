import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
  setExtension,
} from "@bufbuild/protobuf";
import { MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createContextKey, type HandlerContext } from "@connectrpc/connect";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import type { ServerStreamingMethod, UnaryMethod } from "../../../src/call/method.ts";
import type { HasValues } from "../../../src/call/request-info.ts";
import { RequestValues } from "../../../src/http/http-context.ts";

const nameKey = createContextKey("");

/** Returns the values of the context of a call. */
export const valuesOf = (caller: string) => new RequestValues(caller, nameKey, caller);

/** A caller is a name. */
export const nameOf = ({ values }: HasValues): string => values.get(nameKey);

/** The caller `stranger` has no permissions. */
function authorize(context: HasValues): void {
  if (nameOf(context) === "stranger") {
    throw new ConnectError("you may not", Code.PermissionDenied);
  }
}

/** Creates a unary method from a function. */
export function unary<I extends DescMessage, O extends DescMessage>(
  desc: DescMethodUnary<I, O>,
  respond: (
    request: MessageShape<I>,
    call: HandlerContext,
  ) => MessageInitShape<O> | Promise<MessageInitShape<O>>,
): UnaryMethod {
  const method: UnaryMethod<I, O> = {
    kind: "unary",
    desc,
    authorize,
    validate() {},
    invoke: async (request, call) => create(desc.output, await respond(request, call)),
  };
  return method as unknown as UnaryMethod;
}

/** Creates a server-streaming method from a generator. */
export function streaming<I extends DescMessage, O extends DescMessage>(
  desc: DescMethodServerStreaming<I, O>,
  respond: (request: MessageShape<I>, call: HandlerContext) => AsyncIterable<MessageInitShape<O>>,
): ServerStreamingMethod {
  const method: ServerStreamingMethod<I, O> = {
    kind: "server_streaming",
    desc,
    authorize,
    validate() {},
    async *invoke(request, call) {
      for await (const message of respond(request, call)) yield create(desc.output, message);
    },
  };
  return method as unknown as ServerStreamingMethod;
}

/** Returns a method with another HTTP rule. */
export function withRule<D extends DescMethod>(
  desc: D,
  rule: MessageInitShape<typeof HttpRuleSchema>,
): D {
  const options = create(MethodOptionsSchema);
  setExtension(options, http, create(HttpRuleSchema, rule));
  return { ...desc, proto: { ...desc.proto, options } };
}
