/**
 * Serves the service of Connect's conformance suite with this project's listener, front door and RPC interface. The
 * suite starts it for each combination of features, which it sends on standard input. The server responds on standard
 * output with its address.
 */
import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { create, createRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { bindRoutes } from "../../../src/call/routes.ts";
import { httpJson } from "../../../src/contract/http-json.ts";
import { createJsonCodec } from "../../../src/rest/json/codec.ts";
import { rpcJsonStyle } from "../../../src/rest/json/style.ts";
import { createTranscoder } from "../../../src/rest/transcoder.ts";
import { createRpc } from "../../../src/rpc/rpc.ts";
import { createListener } from "../../../src/server/connections/listener.ts";
import { createCors } from "../../../src/server/cors.ts";
import { createFrontDoor } from "../../../src/server/front-door.ts";
import { createAdmissionQueue, createInFlight } from "../../../src/server/load/overload.ts";
import {
  ServerCompatRequestSchema,
  ServerCompatResponseSchema,
} from "./gen/connectrpc/conformance/v1/server_compat_pb.ts";
import { ConformanceService } from "./gen/connectrpc/conformance/v1/service_pb.ts";
import { conformanceFunctions } from "./service.ts";

/** Messages on standard input and output are prefixed with their length, in four bytes. */
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
const methods = bindRoutes({
  routes: ({ service }) => service(ConformanceService, conformanceFunctions),
});
/** Rate limit headers of every response, as in production. */
const limits = {
  "X-RateLimit-Limit": "1000",
  "X-RateLimit-Remaining": "999",
  "X-RateLimit-Reset": "1900000000",
  "RateLimit-Policy": '"minute";q=1000;w=60',
  RateLimit: '"minute";r=999;t=1',
};
const onFault = (error: unknown) => process.stderr.write(`${error}\n`);

const listener = createListener({
  ...createFrontDoor({
    publicEndpoints: new Map(),
    errorMapper: () => undefined,
    trustedProxies: new BlockList(),
    cors: createCors([]),
    admission: {
      credentialsOf: () => ({ key: undefined, fault: "missing" }),
      admit: async () => ({ caller, limits, verdict: "admitted", plan: undefined }),
      wasAdmitted: () => false,
      lastLimits: () => undefined,
      callerOf: () => "client",
    },
    prefetches: new Map(),
    rest: createTranscoder({ methods: [], json: httpJson, maxBodyBytes: () => maxMessageBytes }),
    rpc: createRpc({
      methods,
      maxMessageBytes: () => maxMessageBytes,
      json: createJsonCodec(rpcJsonStyle, createRegistry(...ConformanceService.file.messages)),
      // The suite compares the details of errors.
      missingDetails: () => [],
      onFault,
    }),
    queue: createAdmissionQueue(() => "client"),
    inFlight: createInFlight({ maxRequests: 10_000, maxStreams: 10_000 }),
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
const response = toBinary(
  ServerCompatResponseSchema,
  create(ServerCompatResponseSchema, {
    host: "127.0.0.1",
    port,
    ...(tls && { pemCert: tls.cert }),
  }),
);
const length = Buffer.alloc(lengthBytes);
length.writeUInt32BE(response.length);
process.stdout.write(Buffer.concat([length, response]));
