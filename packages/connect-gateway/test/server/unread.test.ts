import { EventEmitter, once } from "node:events";
import { type AddressInfo, BlockList, connect, createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/system/harness/until.ts";
import { UnreadLedger } from "../../src/server/connections/unread.ts";
import { kernelName, kernelQueues } from "../../src/server/load/kernel-queues.ts";

const maxBytes = 1_000;
const maxBytesPerAddress = 400;

/** A ledger, and the connections that it resets, in order. `check` returns them after a check. */
function createLedger() {
  const exempt = new BlockList();
  exempt.addAddress("192.0.2.9");
  const reset: string[] = [];
  const names = new Map<Socket, string>();
  const ledger = new UnreadLedger({
    maxBytes,
    maxBytesPerAddress,
    exempt,
    report: () => {},
    onExcess: (socket, bound) => reset.push(`${names.get(socket)} ${bound}`),
  });
  const connect = (name: string, remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, bytesWritten: 0 });
    names.set(socket as unknown as Socket, name);
    return ledger.accountOf(socket as unknown as Socket);
  };
  const check = async () => {
    await ledger.check();
    return reset;
  };
  return { connect, check, reset };
}

const perAddress = "MAX_UNREAD_BYTES_PER_ADDRESS";

test("an address beyond its bound loses the connections that have waited the longest", async () => {
  const { connect, check } = createLedger();
  connect("newest", "2001:db8::1").hold(200, 3);
  connect("oldest", "2001:db8::2").hold(200, 1);
  connect("middle", "2001:db8::3").hold(200, 2);
  connect("other", "2001:db8:0:1::1").hold(400, 0);
  // Half of the bound is left.
  expect(await check()).toEqual([`oldest ${perAddress}`, `middle ${perAddress}`]);
});

test("a client that has read no longer waits", async () => {
  const { connect, check } = createLedger();
  const reader = connect("reader", "192.0.2.1");
  reader.hold(300, 1);
  connect("stuck", "192.0.2.1").hold(300, 2);
  reader.hold(-200, 3);
  expect(await check()).toEqual([]);
  reader.hold(100, 4);
  expect(await check()).toEqual([`stuck ${perAddress}`]);
});

test("memory of a closed connection does not count", async () => {
  const { connect, check } = createLedger();
  const closed = connect("closed", "192.0.2.1");
  closed.hold(400, 1);
  closed.socket.emit("close");
  closed.hold(400, 2);
  connect("open", "192.0.2.1").hold(400, 3);
  expect(await check()).toEqual([]);
});

test("beyond the bound of the process, the address with the most bytes loses connections", async () => {
  const { connect, check } = createLedger();
  for (const n of [1, 2, 3]) connect(`small ${n}`, `192.0.2.${n}`).hold(300, n);
  connect("large", "192.0.2.4").hold(390, 9);
  expect(await check()).toEqual(["large MAX_UNREAD_BYTES"]);
});

test("only the bound of the process applies to proxies", async () => {
  const { connect, check } = createLedger();
  connect("proxy 2", "192.0.2.9").hold(500, 2);
  connect("proxy 1", "192.0.2.9").hold(500, 1);
  expect(await check()).toEqual([]);
  connect("client", "192.0.2.1").hold(100, 0);
  expect(await check()).toEqual(["proxy 1 MAX_UNREAD_BYTES"]);
});

test("an address keeps its bound when a reset connection closes after a new one was opened", async () => {
  const { connect, check } = createLedger();
  const first = connect("first", "192.0.2.1");
  first.hold(500, 1);
  await check();
  connect("second", "192.0.2.1").hold(300, 2);
  first.socket.emit("close");
  connect("third", "192.0.2.1").hold(200, 3);
  expect(await check()).toEqual([`first ${perAddress}`, `second ${perAddress}`]);
});

test("a client that has read the kernel's queue since the last look-up is not reset", async () => {
  const { connect, reset } = createLedger();
  const reader = connect("reader", "192.0.2.1");
  reader.lookUp(new Map([[kernelName(reader.socket), { sent: 300, received: 0 }]]));
  reader.hold(200, 1);
  connect("stuck", "192.0.2.2").hold(500, 2);
  await until("the other client is reset", () => reset.length > 0);
  expect(reset).toEqual([`stuck ${perAddress}`]);
});

const addresses = Object.values(networkInterfaces()).flatMap((each = []) => each);
const hosts = addresses.some(({ address }) => address === "::1") ? ["::1", "::"] : [];

test.each(["127.0.0.1", ...hosts])(
  "the kernel reports what it holds for a connection to %s",
  { skip: process.platform !== "linux" },
  async (host) => {
    const server = createServer({ pauseOnConnect: true });
    onTestFinished(() => void server.close());
    await once(server.listen(0, host), "listening");
    const { port } = server.address() as AddressInfo;
    // A server on `::` sees an IPv4 client at a mapped address.
    const client = connect(port, host === "::" ? "127.0.0.1" : host);
    onTestFinished(() => void client.destroy());
    const [[served]] = await Promise.all([once(server, "connection"), once(client, "connect")]);
    onTestFinished(() => void served.destroy());
    client.write("12345");
    await expect
      .poll(async () => (await kernelQueues())?.get(kernelName(served)))
      .toEqual({ sent: 0, received: 5 });
  },
);
