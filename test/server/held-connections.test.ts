import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createHeldConnections } from "../../src/server/connections/held-connections.ts";
import { createBacklog } from "../../src/server/load/backlog.ts";

test("a held connection that is closed leaves its place to another one", () => {
  // A busy process that can hold one connection: it decides 4 requests per second.
  const backlog = { ...createBacklog(), isBusy: true, count: 1_000, perMs: 0.004 };
  const held = createHeldConnections(backlog, {
    clientOf: () => "client",
    turnsBefore: () => 1_000,
  });
  const [first, second, third] = [new Socket(), new Socket(), new Socket()];
  const isHeld = (socket: Socket) => {
    held.idle(socket);
    return socket.isPaused();
  };
  expect([isHeld(first), isHeld(second)]).toEqual([true, false]);
  held.closed(first);
  expect(isHeld(third)).toBe(true);
  held.stop();
});
