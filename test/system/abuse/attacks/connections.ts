import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import { ask, attacker, http1, open } from "./wire.ts";

/** Idle connections do not affect other clients. */
export const idleConnections: Attack = {
  name: "idle connections",
  sends: "2,500 connections from one address that send nothing",
  seconds: 6,
  async run(target) {
    for (let n = 0; n < 2_500; n += 100) {
      for (let m = 0; m < 100; m++) open(target, attacker(11)).resume();
      await delay(20);
    }
    await delay(500);
    const { status } = await ask(target, http1("GET", "/livez"), { from: attacker(12) });
    return status === 200 ? [] : [`/livez from another address: status ${status}`];
  },
};

/** Short connections that the client resets do not affect other clients. */
export const connectionChurn: Attack = {
  name: "short connections",
  sends: "6,000 connections that the client resets after one request",
  seconds: 5,
  async run(target) {
    const until = performance.now() + 4_000;
    const bytes = http1("GET", "/v1/inventory");
    for (let n = 0; n < 6_000 && performance.now() < until; n += 50) {
      const sockets = Array.from({ length: 50 }, (_, m) => open(target, attacker(m)));
      for (const socket of sockets) socket.write(bytes);
      await delay(10);
      for (const socket of sockets) socket.resetAndDestroy();
    }
    return [];
  },
};
