import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { join } from "node:path";
import {
  create,
  createFileRegistry,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  type FileRegistry,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  type DescriptorProto,
  durationFromMs,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type Transport } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { listen } from "../../support/listen.ts";

const root = join(import.meta.dirname, "../../..");

/** A change of the contract. */
export type Version = "older" | "newer";

/** A server with another version of the contract. */
export interface OtherServer {
  readonly http1: string;
  readonly http2: string;
  /** The times of the calls of a method, in milliseconds. */
  calls(method: string): readonly number[];
  stop(): void;
}

/** The method whose responses all are lost. */
const lostMethods = { older: "PutHold", newer: "ConfirmHold" } as const;

/** The pet for which the newer server has a reason that older clients do not know. */
export const quarantinedPet = 7_001n;
/** The pet whose first adjustment is refused for some time, and that time in milliseconds. */
export const limitedPet = 7_002n;
export const limitedForMs = 1_200;

/** The time after which a refusal asks for a retry, in milliseconds: longer than calls may take, so clients give up. */
const tooLongMs = 60_000;
const lost = new ConnectError("A proxy lost the response.", Code.Unavailable);
const busy = refusal(Code.Aborted, "IDEMPOTENCY_KEY_IN_USE");
const overloaded = refusal(Code.Unavailable, "SERVER_OVERLOADED", { retryMs: 0 });
const limited = refusal(Code.ResourceExhausted, "RATE_LIMITED", { retryMs: tooLongMs });
function unavailable(changeOutcome: string, retryMs = tooLongMs): ConnectError {
  return refusal(Code.Unavailable, "STORE_UNAVAILABLE", { retryMs, metadata: { changeOutcome } });
}
/**
 * The errors of the attempts of a call, and the outcome of the change that the client is to report: `unknown` if any
 * attempt may have made it. By the pet of the call, the first of which is `firstOutcomePet`.
 */
export const outcomes: readonly (readonly [
  what: string,
  errors: ConnectError[],
  outcome: string,
])[] = [
  ["unchanged", [unavailable("unchanged")], "unchanged"],
  ["lost, then unchanged", [lost, unavailable("unchanged")], "unknown"],
  [
    "lost, then overloaded, then unchanged",
    [lost, overloaded, unavailable("unchanged")],
    "unknown",
  ],
  ["unknown, then unchanged", [unavailable("unknown", 0), unavailable("unchanged")], "unknown"],
  ["unchanged twice", [unavailable("unchanged", 0), unavailable("unchanged")], "unchanged"],
  ["overloaded, then unchanged", [overloaded, unavailable("unchanged")], "unchanged"],
  ["in use, then unchanged", [busy, unavailable("unchanged")], "unknown"],
  ["lost, then limited", [lost, limited], "unknown"],
  ["overloaded, then limited", [overloaded, limited], ""],
  ["lost, then revoked", [lost, refusal(Code.Unauthenticated, "KEY_REVOKED")], "unknown"],
  ["lost, then too small", [lost, refusal(Code.FailedPrecondition, "STOCK_TOO_SMALL")], ""],
];
export const firstOutcomePet = 7_100n;

/**
 * Starts a server whose contract differs from the current one, in front of a server with the current one. It reads and
 * writes messages with its own contract: an older one drops the fields that it does not know, and a newer one sends
 * fields, enum values, events and error reasons that current clients do not know.
 */
export async function startOtherVersion(version: Version, target: string): Promise<OtherServer> {
  const current = createFileRegistry(contract());
  const changed = createFileRegistry(version === "older" ? older(contract()) : newer(contract()));
  const upstream = createConnectTransport({ baseUrl: target, httpVersion: "2" });
  const calls = new Map<string, number[]>();
  const adapter = connectNodeAdapter({
    routes(router) {
      for (const name of ["inventory.v1.InventoryService", "store.v1.StoreService"]) {
        const service = serviceOf(changed, name);
        const methods = service.methods.map((method) => {
          const real = serviceOf(current, name).method[method.localName];
          if (!real) throw new Error(`${name} has no method ${method.localName}`);
          const times: number[] = [];
          calls.set(method.name, times);
          return [method.localName, implementation(method, real, upstream, times, version)];
        });
        router.service(service, Object.fromEntries(methods));
      }
    },
  });
  const http1 = createServer(adapter);
  const http2 = createHttp2Server(adapter);
  const sessions = new Set<{ destroy(): void }>();
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  return {
    http1: await listen(http1),
    http2: await listen(http2),
    calls: (method) => calls.get(method) ?? [],
    stop() {
      http1.close();
      http1.closeAllConnections();
      http2.close();
      for (const session of sessions) session.destroy();
    },
  };
}

function implementation(
  method: DescMethod,
  real: DescMethod,
  upstream: Transport,
  times: number[],
  version: Version,
) {
  const forward = (message: Message) =>
    fromBinary(
      real.input,
      toBinary(method.input, message, { writeUnknownFields: false }),
    ) as Message;
  const back = (message: Message) =>
    decorate(
      version,
      method.output,
      fromBinary(method.output, toBinary(real.output, message), { readUnknownFields: false }),
    );
  const attempts = new Map<bigint, number>();
  if (real.methodKind === "unary") {
    const unary: DescMethodUnary = { ...real, methodKind: "unary" };
    return async (message: Message, context: HandlerContext) => {
      times.push(performance.now());
      refuse(version, method, message, times.length);
      failAttempt(attempts, message);
      const { message: response } = await upstream.unary(
        unary,
        context.signal,
        undefined,
        forwarded(context),
        forward(message),
      );
      if (method.name === lostMethods[version]) {
        throw new ConnectError("A proxy lost the response.", Code.Unavailable);
      }
      return back(response);
    };
  }
  return async function* (message: Message, context: HandlerContext) {
    async function* input() {
      yield forward(message);
    }
    const { message: responses } = await upstream.stream(
      { ...real, methodKind: "server_streaming" },
      context.signal,
      undefined,
      forwarded(context),
      input(),
    );
    if (version === "newer") yield notice(method.output);
    for await (const response of responses) yield back(response);
  };
}

/** Refuses the calls that show how clients react to unknown reasons, delays and errors of a proxy. */
function refuse(version: Version, method: DescMethod, message: Message, call: number): void {
  if (method.name === "CancelOrder") {
    throw new ConnectError("A proxy is overloaded.", Code.Unavailable);
  }
  if (method.name !== "AdjustInventory") return;
  const { petId } = message as Message & { petId: bigint };
  if (version === "newer" && petId === quarantinedPet) {
    throw refusal(Code.FailedPrecondition, "PET_QUARANTINED");
  }
  // The first call adjusts another pet.
  if (petId === limitedPet && call === 2) {
    throw refusal(Code.ResourceExhausted, "RATE_LIMITED", { retryMs: limitedForMs });
  }
}

/** Throws the next error of a pet of `outcomes`. @param attempts the attempts before, by pet */
function failAttempt(attempts: Map<bigint, number>, message: Message): void {
  const { petId = 0n } = message as Message & { petId?: bigint };
  const [, errors] = outcomes[Number(petId - firstOutcomePet)] ?? [];
  if (!errors) return;
  const attempt = attempts.get(petId) ?? 0;
  attempts.set(petId, attempt + 1);
  throw errors[attempt % errors.length];
}

function refusal(
  code: Code,
  reason: string,
  { retryMs, metadata = {} }: { retryMs?: number; metadata?: Record<string, string> } = {},
): ConnectError {
  return new ConnectError(reason, code, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain: "inventory", metadata } },
    ...(retryMs === undefined
      ? []
      : [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryMs) } }]),
  ]);
}

/** Sets what only a newer server sends. */
function decorate(version: Version, desc: DescMessage, message: Message): Message {
  if (version === "older") return message;
  const added = desc.fields.find(({ name }) => name === addedField);
  if (added) reflect(desc, message).set(added, "only in newer contracts");
  const { items } = message as Message & { items?: { status?: number }[] };
  const [first] = items ?? [];
  if (first?.status !== undefined) first.status = unknownStatus;
  return message;
}

function notice(desc: DescMessage): Message {
  const field = desc.fields.find(({ name }) => name === "notice");
  if (!field) throw new Error("a newer watch has notices");
  const bytes = [...tag(field.number, 2), 0];
  return fromBinary(desc, Uint8Array.from(bytes)) as Message;
}

/** Encodes the tag of a field. https://protobuf.dev/programming-guides/encoding/#structure */
function tag(number: number, wireType: number): number[] {
  const value = number * 8 + wireType;
  return [(value & 0x7f) | 0x80, value >> 7];
}

const addedField = "only_in_newer_contracts";
/** A status that the contract does not have. */
export const unknownStatus = 99;

/** Fields that an older contract does not have. */
const laterFields = new Set([
  "AdjustInventoryRequest.note",
  "AdjustInventoryRequest.reason",
  "AdjustInventoryRequest.reference",
  "AdjustInventoryResponse.version",
  "InventoryChange.account_id",
  "InventoryChange.key_id",
  "InventoryChange.note",
  "InventoryChange.request_id",
  "InventoryItem.status",
  "ListInventoryResponse.version",
  "WatchInventoryResponse.heartbeat",
]);
const laterMethods = new Set(["BatchUpdateInventory", "ListItemChanges"]);

function older(files: FileDescriptorSet): FileDescriptorSet {
  for (const file of files.file) {
    for (const message of file.messageType) {
      message.field = message.field.filter(
        ({ name }) => !laterFields.has(`${message.name}.${name}`),
      );
    }
    for (const service of file.service) {
      service.method = service.method.filter(({ name }) => !laterMethods.has(name));
    }
  }
  return files;
}

function newer(files: FileDescriptorSet): FileDescriptorSet {
  for (const file of files.file) {
    if (file.package !== "inventory.v1" && file.package !== "store.v1") continue;
    for (const message of file.messageType) {
      addField(message, addedField, 1_000, FieldDescriptorProto_Type.STRING);
      if (message.name !== "WatchInventoryResponse") continue;
      addField(message, "notice", 1_001, FieldDescriptorProto_Type.MESSAGE, {
        typeName: ".inventory.v1.WatchReady",
        oneofIndex: 0,
      });
    }
  }
  return files;
}

function addField(
  message: DescriptorProto,
  name: string,
  number: number,
  type: FieldDescriptorProto_Type,
  more: { typeName?: string; oneofIndex?: number } = {},
): void {
  message.field.push(
    create(FieldDescriptorProtoSchema, {
      name,
      number,
      type,
      label: FieldDescriptorProto_Label.OPTIONAL,
      ...more,
    }),
  );
}

function contract(): FileDescriptorSet {
  const set = execFileSync("buf", ["build", "proto", "--as-file-descriptor-set", "-o", "-"], {
    cwd: root,
  });
  return fromBinary(FileDescriptorSetSchema, set);
}

function serviceOf(registry: FileRegistry, name: string): DescService {
  const service = registry.getService(name);
  if (!service) throw new Error(`the contract has no service ${name}`);
  return service;
}

/** Returns the headers to forward. Clients send idempotency keys in the message or in the header. */
function forwarded({ requestHeader }: HandlerContext): Headers {
  const names = ["authorization", "idempotency-key"];
  return new Headers([...requestHeader].filter(([name]) => names.includes(name)));
}
