import { Code, ConnectError } from "@connectrpc/connect";
import { createGateway, reflectionRoutes } from "connect-gateway";
import { createBoards } from "./board.js";
import { BoardService } from "./gen/board/v1/board_pb.js";

/** Makes the gateway of the boards. @param key that callers send as `Authorization: Bearer KEY` */
export function createBoardGateway(key: string) {
  return createGateway({
    routes: ({ service }) => service(BoardService, createBoards()),
    // Tools such as grpcurl read the contract without a key.
    publicRoutes: reflectionRoutes([BoardService]),
    requestGate({ requestHeader }) {
      if (requestHeader.get("authorization") === `Bearer ${key}`) return;
      throw new ConnectError("Send your key: `Authorization: Bearer KEY`", Code.Unauthenticated);
    },
    onFault: console.error,
  });
}
