import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import { ask, attacker, http1, open } from "./wire.ts";

/** Connections that do nothing take nothing from clients that work. */
export const idleConnections: Attack = {
  name: "A5 idle connections",
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

/** Connections that come and go. */
export const connectionChurn: Attack = {
  name: "A5 connections that come and go",
  sends: "6,000 connections that are reset after a request",
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
