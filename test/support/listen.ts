import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** Lets a server listen on a port of the loopback interface; 0 chooses a free one. @returns its URL */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
