// #region example
import { createServer } from "node:http";
import { bindService } from "../../src/call/service.ts";
import { http1Classes } from "../../src/http/exchange/node-http.ts";
import { RequestValues } from "../../src/http/http-context.ts";
import { splitTarget } from "../../src/http/request-target.ts";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { httpJsonStyle } from "../../src/rest/json/style.ts";
import { createTranscoder } from "../../src/rest/transcoder.ts";
import { GreetService } from "./gen/shelf/v1/greet_pb.ts";

// The implementation of a Connect service: request in, response out, ConnectError for errors.
const implementation = {
  greet: async (request: { name: string; repeat: number }) => ({
    text: `Hello, ${request.name}!`.repeat(request.repeat || 1),
  }),
};

const transcoder = createTranscoder({
  methods: bindService(GreetService, implementation, {
    authorizer: () => () => {},
    validator: () => () => {},
  }),
  json: createJsonCodec(httpJsonStyle),
  maxBodyBytes: () => 64 * 1024,
  onFault: (error) => console.error(error),
});

export const server = createServer(http1Classes, (request, response) => {
  const endpoint = transcoder.find(splitTarget(request.url ?? ""), request) ?? transcoder.unknown;
  void endpoint.handle(request, response, new RequestValues("a caller"));
});
// #endregion
