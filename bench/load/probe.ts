import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:http2";
import type { Run } from "../case.ts";
import type { Call } from "./call.ts";

/**
 * Sends a call once over HTTP/1.1 and checks the complete response.
 *
 * @param value the value of `{n}`
 * @throws Error that says what is wrong with the response
 */
export async function probeHttp(call: Call, run: Run, value = "1"): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpRequest({
    port: run.server.port,
    method: call.method,
    path: call.path.replace("{n}", value),
    headers: { ...call.headers, authorization: `Bearer ${call.keys(run.data)[0]}` },
    agent: false,
  });
  request.on("response", resolve).on("error", reject).end(call.body);
  const response = await promise;
  const body = Buffer.concat(await response.toArray());
  if (response.statusCode !== call.status) {
    throw new Error(`the status is ${response.statusCode}: ${body.subarray(0, 200)}`);
  }
  call.check(body, value);
  return body;
}

/**
 * Sends a call once over gRPC and checks the complete response.
 *
 * @throws Error that says what is wrong with the response
 */
export async function probeGrpc(call: Call, run: Run): Promise<Buffer> {
  const session = connect(`http://127.0.0.1:${run.server.grpcPort}`);
  session.on("error", () => {}); // the stream reports it too
  try {
    const stream = session.request({
      ":method": "POST",
      ":path": call.path,
      authorization: `Bearer ${call.keys(run.data)[0]}`,
      ...call.headers,
    });
    let status: unknown;
    const note = (headers: Record<string, unknown>) => {
      status = headers["grpc-status"] ?? status;
    };
    stream.on("response", note).on("trailers", note).end(call.body);
    const body = Buffer.concat(await stream.toArray());
    if (status !== "0") throw new Error(`grpc-status is ${status}`);
    call.check(body, "1");
    return body;
  } finally {
    session.destroy();
  }
}
