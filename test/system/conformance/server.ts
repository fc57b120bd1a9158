/**
 * Serves the service of Connect's conformance suite by this project's gateway. The
 * suite starts it for each combination of features, which it sends on standard input. The server responds on standard
 * output with its address.
 */
import { readFileSync } from "node:fs";
import { create, createRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createJsonCodec } from "../../../packages/connect-gateway/src/rest/json/codec.ts";
import {
  httpJsonStyle,
  rpcJsonStyle,
} from "../../../packages/connect-gateway/src/rest/json/style.ts";
import { createGateway } from "../../../packages/connect-gateway/src/server/gateway.ts";
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
/** Rate limit headers of every response, as in production. */
const limits = {
  "X-RateLimit-Limit": "1000",
  "X-RateLimit-Remaining": "999",
  "X-RateLimit-Reset": "1900000000",
  "RateLimit-Policy": '"minute";q=1000;w=60',
  RateLimit: '"minute";r=999;t=1',
};
const gateway = createGateway({
  routes: ({ service }) => service(ConformanceService, conformanceFunctions),
  async requestGate({ responseHeader }) {
    for (const [name, value] of Object.entries(limits)) responseHeader.set(name, value);
  },
  readMaxBytes: () => maxMessageBytes,
  json: {
    http: createJsonCodec(httpJsonStyle),
    rpc: createJsonCodec(rpcJsonStyle, createRegistry(...ConformanceService.file.messages)),
  },
  limits: { maxHeaderBytes: 65_536 },
  ...(tls && { tls }),
  onFault: (error) => process.stderr.write(`${error}\n`),
});

const { port } = await gateway.listen(0, "127.0.0.1");
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
