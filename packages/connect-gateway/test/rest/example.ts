// #region example
import { createServer } from "node:http";
import type { ConnectRouter } from "@connectrpc/connect";
import { bindRoutes } from "../../src/call/routes.ts";
import { nodeListener } from "../../src/http/exchange/node-listener.ts";
import { splitTarget } from "../../src/http/request-target.ts";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { httpJsonStyle } from "../../src/rest/json/style.ts";
import { createTranscoder } from "../../src/rest/transcoder.ts";
import { GreetService } from "../gen/shelf/v1/greet_pb.ts";

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

const listener = nodeListener((exchange) => {
  const { open, openUnknown } = transcoder;
  const call = open(splitTarget(exchange.url ?? ""), exchange);
  return (call ?? openUnknown(exchange)).serve();
});

export const server = createServer(listener);
// #endregion
