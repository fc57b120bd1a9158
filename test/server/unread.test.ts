import { EventEmitter } from "node:events";
import { fstatSync, openSync } from "node:fs";
import { BlockList, type Socket } from "node:net";
import { expect, test } from "vitest";
import { UnreadLedger } from "../../src/server/connections/unread.ts";
import { until } from "../system/harness/until.ts";

const file = openSync(import.meta.filename, "r");
const maxBytes = 1_000;
const maxBytesPerAddress = 400;

/** A ledger, and the connections that it resets, in order. */
function createLedger() {
  const exempt = new BlockList();
  exempt.addAddress("192.0.2.9");
  const reset: string[] = [];
  const faults: unknown[] = [];
  const limits = { maxBytes, maxBytesPerAddress, exempt };
  const names = new Map<Socket, string>();
  const ledger = new UnreadLedger(
    limits,
    (error) => faults.push(error),
    (socket, bound) => reset.push(`${names.get(socket)} ${bound}`),
  );
  const connect = (name: string, remoteAddress: string) => {
    // The file is not a TCP connection, so the kernel reports no queue for it.
    const _handle = { fd: file };
    const socket = Object.assign(new EventEmitter(), { remoteAddress, bytesWritten: 0, _handle });
    names.set(socket as unknown as Socket, name);
    return ledger.accountOf(socket as unknown as Socket);
  };
  return { ledger, connect, reset, faults };
}

const perAddress = "MAX_UNREAD_BYTES_PER_ADDRESS";

test("an address beyond its bound loses the connections that have waited the longest", async () => {
  const { ledger, connect, reset } = createLedger();
  connect("newest", "2001:db8::1").hold(200, 3);
  connect("oldest", "2001:db8::2").hold(200, 1);
  connect("middle", "2001:db8::3").hold(200, 2);
  connect("other", "2001:db8:0:1::1").hold(400, 0);
  await ledger.check();
  // Half of the bound is left.
  expect(reset).toEqual([`oldest ${perAddress}`, `middle ${perAddress}`]);
});

test("the other connections of an address must wait until those that it loses are closed", async () => {
  const { ledger, connect } = createLedger();
  const lost = [connect("a", "192.0.2.1"), connect("b", "192.0.2.1")];
  for (const connection of lost) connection.hold(300, 1);
  const kept = connect("c", "192.0.2.1");
  const other = connect("d", "192.0.2.2");
  await ledger.check();
  const waiting = () => [kept.mustWait, other.mustWait];
  expect(waiting()).toEqual([true, false]);
  lost[0]?.socket.emit("close");
  expect(waiting()).toEqual([true, false]);
  lost[1]?.socket.emit("close");
  expect(waiting()).toEqual([false, false]);
});

test("a client that has read no longer waits", async () => {
  const { ledger, connect, reset } = createLedger();
  const reader = connect("reader", "192.0.2.1");
  reader.hold(300, 1);
  connect("stuck", "192.0.2.1").hold(300, 2);
  reader.hold(-200, 3);
  await ledger.check();
  expect(reset).toEqual([]);
  reader.hold(100, 4);
  await ledger.check();
  expect(reset).toEqual([`stuck ${perAddress}`]);
});

test("memory of a closed connection does not count", async () => {
  const { ledger, connect, reset } = createLedger();
  const closed = connect("closed", "192.0.2.1");
  closed.hold(400, 1);
  closed.socket.emit("close");
  closed.hold(400, 2);
  connect("open", "192.0.2.1").hold(400, 3);
  await ledger.check();
  expect(reset).toEqual([]);
});

test("beyond the bound of the process, the address with the most bytes loses connections", async () => {
  const { ledger, connect, reset } = createLedger();
  for (const n of [1, 2, 3]) connect(`small ${n}`, `192.0.2.${n}`).hold(300, n);
  connect("large", "192.0.2.4").hold(390, 9);
  await ledger.check();
  expect(reset).toEqual(["large MAX_UNREAD_BYTES"]);
});

test("only the bound of the process applies to proxies", async () => {
  const { ledger, connect, reset } = createLedger();
  connect("proxy 2", "192.0.2.9").hold(500, 2);
  connect("proxy 1", "192.0.2.9").hold(500, 1);
  await ledger.check();
  expect(reset).toEqual([]);
  connect("client", "192.0.2.1").hold(100, 0);
  await ledger.check();
  expect(reset).toEqual(["proxy 1 MAX_UNREAD_BYTES"]);
});

test("an address keeps its bound when a reset connection closes after a new one was opened", async () => {
  const { ledger, connect, reset } = createLedger();
  const first = connect("first", "192.0.2.1");
  first.hold(500, 1);
  await ledger.check();
  connect("second", "192.0.2.1").hold(300, 2);
  first.socket.emit("close");
  connect("third", "192.0.2.1").hold(200, 3);
  await ledger.check();
  expect(reset).toEqual([`first ${perAddress}`, `second ${perAddress}`]);
});

test("a client that has read the kernel's queue since the last look-up is not reset", async () => {
  const { connect, reset } = createLedger();
  const reader = connect("reader", "192.0.2.1");
  reader.lookUp(new Map([[fstatSync(file).ino, { sent: 300, received: 0 }]]));
  reader.hold(200, 1);
  connect("stuck", "192.0.2.2").hold(500, 2);
  await until("the other client is reset", () => reset.length > 0);
  expect(reset).toEqual([`stuck ${perAddress}`]);
});
