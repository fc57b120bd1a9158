import {
  clone,
  create,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  isFieldSet,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import {
  type CallOptions,
  type Client,
  createClient,
  makeAnyClient,
  type Transport,
} from "@connectrpc/connect";
import { toInventoryError } from "./errors.js";
import { type RetryPolicy, withRetries } from "./retry.js";

type Send = (request: unknown, options?: CallOptions) => unknown;

/** The client of a service, with retries, idempotency keys and InventoryErrors. */
export function createServiceClient<S extends DescService>(
  service: S,
  transport: Transport,
  policy: RetryPolicy,
): Client<S> {
  const plain = createClient(service, transport) as unknown as Record<string, Send>;
  const client = makeAnyClient(service, (method) => {
    const send = plain[method.localName];
    if (!send) return null;
    switch (method.methodKind) {
      case "unary":
        return (request: MessageInitShape<DescMessage>, options: CallOptions = {}) => {
          const { message, repeatable } = prepare(method, request);
          const kind = { repeatable, reads: isRead(method) };
          return withRetries(policy, kind, options, async (of) => await send(message, of));
        };
      case "client_streaming":
        return async (requests: unknown, options?: CallOptions) => {
          try {
            return await send(requests, options);
          } catch (thrown) {
            throw toInventoryError(thrown);
          }
        };
      default:
        return (request: unknown, options?: CallOptions) =>
          withErrors(send(request, options) as AsyncIterable<unknown>);
    }
  });
  return client as Client<S>;
}

/** Adds an idempotency key to a write that takes one and has none. Returns whether the request can be repeated. */
function prepare(method: DescMethodUnary, request: MessageInitShape<DescMessage>) {
  const given: Message = create(method.input, request);
  const field = method.input.fields.find(({ name }) => name === "idempotency_key");
  if (!field) return { message: given, repeatable: isRepeatable(method) };
  if (isFieldSet(given, field)) return { message: given, repeatable: true };
  // A copy, because the caller may send the same object again as another write.
  const message = clone(method.input, given);
  reflect(method.input, message).set(field, newIdempotencyKey());
  return { message, repeatable: true };
}

/** Whether a call without an idempotency key can be repeated: it reads, or has the id of a hold, which works like a key. */
function isRepeatable(method: DescMethodUnary): boolean {
  return isRead(method) || method.input.fields.some(({ name }) => name === "hold_id");
}

function isRead({ idempotency }: DescMethodUnary): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

/** 128 random bits. Browsers offer `crypto.randomUUID` only on pages with TLS. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function* withErrors<T>(messages: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* messages;
  } catch (thrown) {
    throw toInventoryError(thrown);
  }
}
