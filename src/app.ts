import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { cost } from "../gen/rules/v1/rules_pb.ts";
import { createAdmission } from "./access/admission.ts";
import { sharing } from "./call/sharing.ts";
import type { Config } from "./config.ts";
import { writeDocument } from "./docs-page/document.ts";
import { docsHandlers } from "./docs-page/handlers.ts";
import { errorTerms, missingDetails, serverOverloaded } from "./errors.ts";
import { accessLog } from "./front-door/access-log.ts";
import { createAddressFloods } from "./front-door/address-floods.ts";
import { createConnectionLimit } from "./front-door/connection-limit.ts";
import { createCors } from "./front-door/cors.ts";
import { createFrontDoor } from "./front-door/front-door.ts";
import { healthHandlers } from "./front-door/health.ts";
import { createHeldConnections } from "./front-door/held-connections.ts";
import { addressLimits } from "./front-door/http2-limits.ts";
import { createInFlight } from "./front-door/in-flight.ts";
import { createListener, type Listener } from "./front-door/listener.ts";
import { createOverload } from "./front-door/overload.ts";
import { peerOf } from "./front-door/peer.ts";
import { createWatching } from "./live/watching.ts";
import type { Log } from "./log.ts";
import { createPublicMethods } from "./public-services.ts";
import { httpJson } from "./rest/json-form.ts";
import { createTranscoder, type Policy } from "./rest/transcoder.ts";
import { rpcHandlers } from "./rpc/handlers.ts";
import { createRpc } from "./rpc/rpc.ts";
import { deprecationNotice } from "./rules/deprecation.ts";
import { createMethods } from "./services.ts";
import type { Stores } from "./stores.ts";

/** A server, not yet listening. */
export type App = Listener;

/**
 * Builds the server from its parts: the only place that knows them all.
 *
 * @throws Error when a rule of the contract is not valid, or the TLS files can't be read
 */
export function createApp(config: Config, stores: Stores, log: Log): App {
  const watching = createWatching(stores, config.watch);
  const methods = createMethods(stores, watching);
  const onFault = (error: unknown) => {
    // A ConnectError was meant: a store that is not available, say, which its adapter has told.
    if (!(error instanceof ConnectError)) {
      log.error({ err: error }, "a request met a bug");
    }
  };
  // A method that changes many items has a cost, and needs more for them.
  const maxBodyBytes = (method: DescMethod) =>
    hasOption(method, cost) ? config.maxBatchBodyBytes : config.maxBodyBytes;
  const draining = new AbortController();
  const ping = sharing(stores.ping);
  const rpcOptions = {
    maxMessageBytes: maxBodyBytes,
    // As in the binary form: a newer client must be able to call an older server.
    jsonOptions: { ignoreUnknownFields: true },
    fastPath: config.rpcFastPath,
    missingDetails,
    onFault,
  };
  const publicMethods = createPublicMethods({
    services: [...new Set(methods.map(({ desc }) => desc.parent))],
    reflection: config.grpcReflection,
    ping,
    draining: draining.signal,
    healthWatches: config.healthWatches,
  });

  const rest = createTranscoder({
    methods,
    json: httpJson,
    maxBodyBytes,
    errorTerms,
    policy: sunsetPolicy(config.petsSunset),
    onFault,
  });
  const overload = createOverload();
  const frontDoor = createFrontDoor({
    publicHandlers: new Map([
      ...healthHandlers(ping, () => draining.signal.aborted),
      ...docsHandlers(() => writeDocument(rest.routes, config)),
      ...rpcHandlers({ ...rpcOptions, methods: publicMethods }, (request) =>
        peerOf(request, config.trustedProxies),
      ),
    ]),
    cors: createCors(config.corsOrigins),
    admission: createAdmission({ ...config, store: stores.admission }),
    overload,
    overloaded: serverOverloaded,
    rest,
    rpc: createRpc({ ...rpcOptions, methods }),
    inFlight: createInFlight(config.inFlight),
    onFault,
  });
  const onRequest = accessLog(log);
  const listener = createListener({
    handle: frontDoor.handle,
    ...(onRequest && { onRequest }),
    onThrow: frontDoor.onThrow,
    held: createHeldConnections(overload.backlog),
    ...(config.tls && { tls: readTlsFiles(config.tls) }),
    headersTimeoutMs: config.headersTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    keepAliveTimeoutMs: config.keepAliveTimeoutMs,
    sendTimeoutMs: config.sendTimeoutMs,
    maxConnections: config.maxConnections,
    connectionLimit: createConnectionLimit(config.maxConnectionsPerAddress, config.trustedProxies),
    addressFloods: createAddressFloods(addressLimits, config.trustedProxies),
    maxHeaderBytes: config.maxHeaderBytes,
    onFault,
  });

  return {
    listen: listener.listen,
    drain(graceMs) {
      draining.abort();
      watching.stop();
      return listener.drain(graceMs);
    },
  };
}

/** @throws Error that names the setting when a file can't be read, or the two are of no use */
function readTlsFiles({ certFile, keyFile }: NonNullable<Config["tls"]>) {
  const tls = { cert: readFile("TLS_CERT", certFile), key: readFile("TLS_KEY", keyFile) };
  try {
    createSecureContext(tls);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`TLS_CERT "${certFile}" and TLS_KEY "${keyFile}" can't be used: ${reason}`);
  }
  return tls;
}

function readFile(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new Error(`${setting} is "${file}": it must be a file that can be read`);
  }
}

/** Every answer of a deprecated operation says so; after the sunset each is 410. */
function sunsetPolicy(sunset: number): (method: DescMethod) => Policy | undefined {
  const notices = new Map<DescMethod, Policy | undefined>();

  function noticeOf(method: DescMethod): Policy | undefined {
    const notice = deprecationNotice(method, sunset);
    return (
      notice && {
        headers: notice.headers,
        refusal: {
          status: 410,
          reason: "OPERATION_ENDED",
          code: "gone",
          message: `This operation ended on ${new Date(sunset).toISOString().slice(0, 10)}. Use ${notice.successor}.`,
        },
      }
    );
  }

  return (method) => {
    if (!notices.has(method)) {
      notices.set(method, noticeOf(method));
    }
    const notice = notices.get(method);
    return notice && Date.now() < sunset ? { headers: notice.headers } : notice;
  };
}
