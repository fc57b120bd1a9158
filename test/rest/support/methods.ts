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
import { Code, ConnectError } from "@connectrpc/connect";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import type { Call, ServerStreamingMethod, UnaryMethod } from "../../../src/call/method.ts";

/** A caller is a name. The caller `stranger` has no permissions. */
function authorize(caller: string): void {
  if (caller === "stranger") {
    throw new ConnectError("you may not", Code.PermissionDenied);
  }
}

/** Creates a unary method from a function. */
export function unary<I extends DescMessage, O extends DescMessage>(
  desc: DescMethodUnary<I, O>,
  respond: (
    request: MessageShape<I>,
    call: Call<string>,
  ) => MessageInitShape<O> | Promise<MessageInitShape<O>>,
): UnaryMethod<string> {
  const method: UnaryMethod<string, I, O> = {
    kind: "unary",
    desc,
    authorize,
    validate() {},
    invoke: async (request, call) => create(desc.output, await respond(request, call)),
  };
  return method as unknown as UnaryMethod<string>;
}

/** Creates a server-streaming method from a generator. */
export function streaming<I extends DescMessage, O extends DescMessage>(
  desc: DescMethodServerStreaming<I, O>,
  respond: (request: MessageShape<I>, call: Call<string>) => AsyncIterable<MessageInitShape<O>>,
): ServerStreamingMethod<string> {
  const method: ServerStreamingMethod<string, I, O> = {
    kind: "server_streaming",
    desc,
    authorize,
    validate() {},
    async *invoke(request, call) {
      for await (const message of respond(request, call)) yield create(desc.output, message);
    },
  };
  return method as unknown as ServerStreamingMethod<string>;
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
