import { type Client, type Outcome, restOutcome, send } from "./client.ts";

/** One request of the traffic and what became of it. Times are those of `performance.now()`. */
export interface Sample {
  readonly worker: string;
  readonly sentAt: number;
  readonly endedAt: number;
  /** The answer's code; `broken` when there was no whole and well-formed answer. */
  readonly code: string;
  /** The answer's message, or what broke. */
  readonly message: string;
  readonly retryAfter: string | undefined;
}

/** Requests sent one after the other by each of many workers, until they are stopped. */
export interface Traffic {
  readonly samples: readonly Sample[];
  /** Adds a worker: it calls again as soon as it was answered. */
  add(worker: string, call: () => Promise<Outcome>): void;
  /** Stops the workers whose names begin so, after the requests that they wait for. */
  stop(prefix?: string): Promise<void>;
}

/** Makes traffic without any worker. */
export function createTraffic(): Traffic {
  const samples: Sample[] = [];
  const workers: { readonly name: string; stopping: boolean; readonly done: Promise<void> }[] = [];

  async function sample(worker: string, call: () => Promise<Outcome>): Promise<void> {
    const sentAt = performance.now();
    const told = await call().then(
      ({ code, message, header }) => ({ code, message, retryAfter: header("retry-after") }),
      (error: unknown) => ({ code: "broken", message: String(error), retryAfter: undefined }),
    );
    samples.push({ worker, sentAt, endedAt: performance.now(), ...told });
  }

  return {
    samples,
    add(name, call) {
      const worker = {
        name,
        stopping: false,
        done: Promise.resolve().then(async () => {
          while (!worker.stopping) {
            await sample(name, call);
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

/** Codes of samples, each once, in alphabetical order. */
export function codesOf(samples: readonly Sample[]): string[] {
  return [...new Set(samples.map(({ code }) => code))].sort();
}

/** The longest time that an answer took, in milliseconds; 0 when there are none. */
export function slowest(samples: readonly Sample[]): number {
  return samples.reduce((most, { sentAt, endedAt }) => Math.max(most, endedAt - sentAt), 0);
}

/** Updates of one pet, each with a larger quantity than the one before. */
export interface Updater {
  readonly worker: string;
  readonly petId: bigint;
  /** The last quantity that was answered 200. */
  readonly acknowledged: number;
  /** The last quantity that was sent. */
  readonly sent: number;
  /** Sends the next update. */
  next(): Promise<Outcome>;
}

export function createUpdater(worker: string, client: Client, petId: bigint): Updater {
  const own = { acknowledged: 0, sent: 0 };
  return {
    worker,
    petId,
    get acknowledged() {
      return own.acknowledged;
    },
    get sent() {
      return own.sent;
    },
    async next() {
      own.sent += 1;
      const outcome = await client.set(petId, own.sent);
      if (outcome.code === "ok") {
        own.acknowledged = own.sent;
      }
      return outcome;
    },
  };
}

/** A call of one of the health endpoints, whose answers are no errors in the service's form. */
export function probe(url: string): () => Promise<Outcome> {
  return async () => {
    const answer = await send(url);
    if (answer.status === 503) {
      return { code: "unavailable", message: answer.body, header: () => undefined, ms: answer.ms };
    }
    return restOutcome(answer);
  };
}
