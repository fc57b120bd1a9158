import { setTimeout as delay } from "node:timers/promises";
import { type Outcome, restOutcome, send } from "./client.ts";

/** One request and its outcome. Times are those of `performance.now()`, in ms. */
export interface Sample {
  readonly worker: string;
  readonly sentAt: number;
  readonly endedAt: number;
  /** The code of the response; `broken` if the response was incomplete or malformed. */
  readonly code: string;
  /** The message of the response, or the error of the client. */
  readonly message: string;
  readonly retryAfter: string | undefined;
}

/** Workers that each send one request after another until they are stopped. */
export interface Traffic {
  readonly samples: readonly Sample[];
  /** Returns the names of the workers that have not been stopped. */
  active(): string[];
  /** Adds a worker, which calls again after each response. */
  add(worker: string, call: () => Promise<Outcome>): void;
  /** Stops the workers whose names begin with a prefix, after their current requests. */
  stop(prefix?: string): Promise<void>;
}

/** Creates traffic without workers. @param pauseMs the pause of a worker between two requests, in ms */
export function createTraffic(pauseMs = 0): Traffic {
  const samples: Sample[] = [];
  const workers: { readonly name: string; stopping: boolean; readonly done: Promise<void> }[] = [];

  async function sample(worker: string, call: () => Promise<Outcome>): Promise<void> {
    const sentAt = performance.now();
    const outcome = await call().then(
      ({ code, message, header }) => ({ code, message, retryAfter: header("retry-after") }),
      (error: unknown) => ({ code: "broken", message: String(error), retryAfter: undefined }),
    );
    samples.push({ worker, sentAt, endedAt: performance.now(), ...outcome });
  }

  return {
    samples,
    active: () => workers.filter(({ stopping }) => !stopping).map(({ name }) => name),
    add(name, call) {
      const worker = {
        name,
        stopping: false,
        done: Promise.resolve().then(async () => {
          while (!worker.stopping) {
            await sample(name, call);
            if (pauseMs > 0) await delay(pauseMs);
          }
        }),
      };
      workers.push(worker);
    },
    async stop(prefix = "") {
      const stopped = workers.filter(({ name }) => name.startsWith(prefix));
      for (const worker of stopped) {
        worker.stopping = true;
      }
      await Promise.all(stopped.map(({ done }) => done));
    },
  };
}

/** The distinct codes of samples, sorted. */
export function codesOf(samples: readonly Sample[]): string[] {
  return [...new Set(samples.map(({ code }) => code))].sort();
}

/** The longest response time, in ms; 0 if there are no samples. */
export function slowest(samples: readonly Sample[]): number {
  return samples.reduce((most, { sentAt, endedAt }) => Math.max(most, endedAt - sentAt), 0);
}

/** Creates a call of a health endpoint. Its error responses do not have the standard form. */
export function probe(url: string): () => Promise<Outcome> {
  return async () => {
    const reply = await send(url);
    if (reply.status === 503) {
      return { code: "unavailable", message: reply.body, header: () => undefined, ms: reply.ms };
    }
    return restOutcome(reply);
  };
}
