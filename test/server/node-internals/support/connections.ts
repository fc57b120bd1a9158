import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Lets a server of node listen until the test ends. Returns its port. */
export async function listenForTest(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Connects a client until the test ends. It ignores errors. */
export function connectForTest(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Makes a connection. Returns both of its ends. */
export async function socketPair(): Promise<{ client: Socket; served: Socket }> {
  const server = createServer();
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connectForTest(await listenForTest(server));
  const [served] = await accepted;
  served.on("error", () => {});
  onTestFinished(() => void served.destroy());
  return { client, served };
}

/** Collects what a socket receives. */
export function textOf(socket: Socket): { text: string } {
  const received = { text: "" };
  socket.on("data", (chunk) => {
    received.text += chunk.toString("latin1");
  });
  return received;
}
