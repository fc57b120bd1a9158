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
import type { Method, StreamingMethod, UnaryMethod } from "../../../src/call/method.ts";
import type { HasValues } from "../../../src/call/request-info.ts";
import { bindRoutes } from "../../../src/call/routes.ts";
import type { Exchange } from "../../../src/http/exchange/exchange.ts";
import type { HttpContext, Open } from "../../../src/http/http-context.ts";

const nameKey = createContextKey("");

export function contextOf(open: Open, response: Exchange, caller: string): HttpContext {
  response.record.values.owner = caller;
  const context = open(response);
  context.values.set(nameKey, caller);
  return context;
}

/** A caller is a name. */
export const nameOf = ({ values }: HasValues): string => values.get(nameKey);

/** The caller `stranger` has no permissions. */
function authorize(context: HasValues): void {
  if (nameOf(context) === "stranger") throw new ConnectError("you may not", Code.PermissionDenied);
}

export function unary<I extends DescMessage, O extends DescMessage>(
  desc: DescMethodUnary<I, O>,
  respond: (
    request: MessageShape<I>,
    context: HandlerContext,
  ) => MessageInitShape<O> | Promise<MessageInitShape<O>>,
): UnaryMethod {
  return methodOf(desc, respond) as UnaryMethod;
}

export function streaming<I extends DescMessage, O extends DescMessage>(
  desc: DescMethodServerStreaming<I, O>,
  respond: (
    request: MessageShape<I>,
    context: HandlerContext,
  ) => AsyncIterable<MessageInitShape<O>>,
): StreamingMethod {
  return methodOf(desc, respond) as StreamingMethod;
}

function methodOf(desc: DescMethod, implementation: unknown): Method {
  const [method] = bindRoutes({
    routes: ({ rpc }) => rpc(desc, implementation as never),
    guards: { before: () => authorize },
  });
  if (!method) throw new Error("the method is not bound");
  return method;
}

export function withRule<D extends DescMethod>(
  desc: D,
  rule: MessageInitShape<typeof HttpRuleSchema>,
): D {
  const options = create(MethodOptionsSchema);
  setExtension(options, http, create(HttpRuleSchema, rule));
  return { ...desc, proto: { ...desc.proto, options } };
}
