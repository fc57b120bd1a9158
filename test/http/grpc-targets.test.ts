import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ClientOptions, credentials } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

/** The encoding of `HealthCheckResponse` with the status SERVING. */
const serving = Buffer.from([0x08, 0x01]);

describe("targets of gRPC clients", () => {
  const server = useServer(memoryKind);

  /** Calls the health check by grpc-js. */
  async function check(target: string, options?: ClientOptions): Promise<Buffer> {
    const client = new Client(target, credentials.createInsecure(), options);
    onTestFinished(() => client.close());
    const bytes = (buffer: Buffer) => buffer;
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest<Buffer, Buffer>(
        "/grpc.health.v1.Health/Check",
        bytes,
        bytes,
        Buffer.alloc(0),
        (error, value) => (error ? reject(error) : resolve(value ?? Buffer.alloc(0))),
      );
    });
  }

  test.each([
    (port: number) => `127.0.0.1:${port}`,
    (port: number) => `dns:127.0.0.1:${port}`,
    (port: number) => `dns:///localhost:${port}`,
    (port: number) => `ipv4:127.0.0.1:${port},127.0.0.1:${port}`,
  ])("can be resolved by grpc-js: %s", async (target) => {
    expect(await check(target(server.port))).toEqual(serving);
  });

  test("can be Unix sockets of a proxy", async () => {
    const directory = await mkdtemp(join(tmpdir(), "grpc-target-"));
    const path = join(directory, "proxy.sock");
    const proxy = createServer((socket) => {
      const upstream = connect(server.port, "127.0.0.1");
      for (const end of [socket, upstream]) end.on("error", () => {});
      socket.pipe(upstream).pipe(socket);
    }).listen(path);
    await once(proxy, "listening");
    onTestFinished(async () => {
      proxy.close();
      await rm(directory, { recursive: true });
    });
    expect(await check(`unix:${path}`)).toEqual(serving);
    expect(await check(`unix://${path}`)).toEqual(serving);
  });

  test.each([
    ["etcd:///inventory/1.0 in Go", "inventory%2F1.0"],
    ["etcd's own client", "%23initially=[127.0.0.1:2379;127.0.0.1:22379]"],
    ["ipv4:127.0.0.1:1,127.0.0.1:2 in C++ and Python", "127.0.0.1:1,127.0.0.1:2"],
    ["ipv6:[::1]:1,[::1]:2 in C++ and Python", "[::1]:1,[::1]:2"],
    ["unix:///run/inventory.sock in Java", "%2Frun%2Finventory.sock"],
    ["a service of Compose", "inventory-1.0"],
  ])("have the authority that resolvers send for %s", async (_, authority) => {
    const options = { "grpc.default_authority": authority };
    expect(await check(`127.0.0.1:${server.port}`, options)).toEqual(serving);
  });
});
