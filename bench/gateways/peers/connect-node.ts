import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { host, port, setting } from "../../peers/support/peer.ts";
import { libraryRoutes } from "../library.ts";

const handler = connectNodeAdapter({ routes: libraryRoutes(setting("BOOKS_FILE")) });
createServer(handler).listen(port, host);
createHttp2Server(handler).listen(Number(setting("GRPC_PORT")), host);
