import { createGateway } from "connect-gateway";
import { host, port, setting } from "../../peers/support/peer.ts";
import { libraryRoutes } from "../library.ts";

await createGateway({ routes: libraryRoutes(setting("BOOKS_FILE")) }).listen(port, host);
