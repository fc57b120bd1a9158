// #region example
import { createServer } from "node:http";
import type { ConnectRouter } from "@connectrpc/connect";
import { bindRoutes } from "../../src/call/routes.ts";
import { http1Classes } from "../../src/http/exchange/node-http.ts";
import { RequestValues } from "../../src/http/http-context.ts";
import { splitTarget } from "../../src/http/request-target.ts";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { httpJsonStyle } from "../../src/rest/json/style.ts";
import { createTranscoder } from "../../src/rest/transcoder.ts";
import { GreetService } from "./gen/shelf/v1/greet_pb.ts";

// The services, as they are registered with Connect.
const routes = ({ service }: ConnectRouter) =>
  service(GreetService, {
    greet: ({ name, repeat }) => ({ text: `Hello, ${name}!`.repeat(repeat || 1) }),
  });

const transcoder = createTranscoder({
  methods: bindRoutes({ routes }),
  json: createJsonCodec(httpJsonStyle),
  maxBodyBytes: () => 64 * 1024,
  onFault: (error) => console.error(error),
});

export const server = createServer(http1Classes, (request, response) => {
  const endpoint = transcoder.find(splitTarget(request.url ?? ""), request) ?? transcoder.unknown;
  void endpoint.handle(request, response, new RequestValues("a caller"));
});
// #endregion
