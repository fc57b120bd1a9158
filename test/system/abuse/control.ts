import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The program of the control: a server that does nothing. Its latency shows how busy the machine is. */
const server = createServer((_, response) => response.end("{}"));
// It must not close an idle connection at the moment at which its client uses it again.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
