/**
 * The server that Connect's conformance suite tests: this project's listener, front door and RPC parts,
 * with the suite's service. The suite starts it once for every combination of its properties, which it
 * tells on standard input; the answer on standard output says where it listens.
 */
import { readFileSync } from "node:fs";
import { create, createRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { bindService } from "../../src/call/service.ts";
import { createFrontDoor } from "../../src/front-door/front-door.ts";
import { createInFlight } from "../../src/front-door/in-flight.ts";
import { createListener } from "../../src/front-door/listener.ts";
import { createOverload } from "../../src/front-door/overload.ts";
import { httpJson } from "../../src/rest/json-form.ts";
import { createTranscoder } from "../../src/rest/transcoder.ts";
import { createRpc } from "../../src/rpc/rpc.ts";
import {
  ServerCompatRequestSchema,
  ServerCompatResponseSchema,
} from "./gen/connectrpc/conformance/v1/server_compat_pb.ts";
import { ConformanceService } from "./gen/connectrpc/conformance/v1/service_pb.ts";
import { conformanceFunctions } from "./service.ts";

/** Messages on standard input and output have their length before them, in four bytes. */
const lengthBytes = 4;

const { useTls, serverCreds, messageReceiveLimit } = fromBinary(
  ServerCompatRequestSchema,
  readFileSync(process.stdin.fd).subarray(lengthBytes),
);
const tls =
  useTls && serverCreds
    ? { cert: Buffer.from(serverCreds.cert), key: Buffer.from(serverCreds.key) }
    : undefined;

const maxMessageBytes = messageReceiveLimit || 1_000_000;
const caller = { accountId: "conformance", keyId: "", scopes: new Set<never>() };
const methods = bindService(ConformanceService, conformanceFunctions, {
  authorizer: () => () => undefined,
  validator: () => () => undefined,
});
/** What admission says of every request: the answers carry it, as they do in production. */
const standing = {
  "X-RateLimit-Limit": "1000",
  "X-RateLimit-Remaining": "999",
  "X-RateLimit-Reset": "1900000000",
  "RateLimit-Policy": '"minute";q=1000;w=60',
  RateLimit: '"minute";r=999;t=1',
};
const onFault = (error: unknown) => process.stderr.write(`${error}\n`);

const listener = createListener({
  ...createFrontDoor({
    publicHandlers: new Map(),
    cors: () => false,
    admission: {
      admit: async () => ({ caller, limits: standing }),
      lastLimits: () => undefined,
    },
    rest: createTranscoder({ methods: [], json: httpJson, maxBodyBytes: () => maxMessageBytes }),
    rpc: createRpc({
      methods,
      maxMessageBytes: () => maxMessageBytes,
      jsonOptions: { registry: createRegistry(...ConformanceService.file.messages) },
      fastPath: process.env.RPC_FAST_PATH !== "off",
      // The suite counts the details of errors.
      missingDetails: () => [],
      onFault,
    }),
    inFlight: createInFlight({ maxRequests: 10_000, maxStreams: 10_000 }),
    overload: createOverload(),
    overloaded: () => new ConnectError("busy", Code.Unavailable),
    onFault,
  }),
  ...(tls && { tls }),
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 60_000,
  sendTimeoutMs: 30_000,
  maxConnections: 10_000,
  maxHeaderBytes: 65_536,
  onFault,
});

const { port } = await listener.listen(0, "127.0.0.1");
const answer = toBinary(
  ServerCompatResponseSchema,
  create(ServerCompatResponseSchema, {
    host: "127.0.0.1",
    port,
    ...(tls && { pemCert: tls.cert }),
  }),
);
const length = Buffer.alloc(lengthBytes);
length.writeUInt32BE(answer.length);
process.stdout.write(Buffer.concat([length, answer]));
