import { Agent, get } from "node:http";

const everyMs = 100;

/** Asks `/livez` all the time. */
export interface HealthProbe {
  /** The longest that it took since the last call of this, in ms; one that is under way counts. */
  slowest(): number;
  stop(): void;
}

/** @param port of the server at each time */
export function startHealthProbe(port: () => number): HealthProbe {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let begun: number | undefined;
  let slowest = 0;
  let lastTick = performance.now();
  const took = () => {
    // When this process itself was busy, it does not know how long the server took.
    if (performance.now() - lastTick > 2 * everyMs) return;
    if (begun !== undefined) slowest = Math.max(slowest, performance.now() - begun);
  };
  const timer = setInterval(() => {
    const isLate = performance.now() - lastTick > 2 * everyMs;
    lastTick = performance.now();
    if (isLate && begun !== undefined) begun = lastTick;
    if (begun !== undefined) return;
    begun = performance.now();
    const over = () => {
      took();
      begun = undefined;
    };
    get({ port: port(), host: "127.0.0.1", path: "/livez", agent }, (response) => {
      response.resume().once("close", over);
    }).on("error", () => {
      // The server was restarted: what that takes is no answer's time.
      begun = undefined;
    });
  }, everyMs);
  return {
    slowest() {
      took();
      const result = slowest;
      slowest = 0;
      return result;
    },
    stop() {
      clearInterval(timer);
      agent.destroy();
    },
  };
}
