import { Agent, get } from "node:http";

const everyMs = 100;

/** Calls `/livez` every 100 ms. */
export interface HealthProbe {
  /** The longest response time since the last call, in ms, including the pending request. */
  slowest(): number;
  stop(): void;
}

/** Starts a probe. @param port returns the current port of the server */
export function startHealthProbe(port: () => number): HealthProbe {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let begun: number | undefined;
  let slowest = 0;
  let lastTick = performance.now();
  const took = () => {
    // If this process was busy, its measurement is invalid.
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
      // The server was restarted: the time for that is not a response time.
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
