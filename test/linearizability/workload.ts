import { setTimeout as delay } from "node:timers/promises";
import { until } from "../faults/until.ts";
import { type Protocol, protocols, type StockClient } from "./clients.ts";
import { type Entry, isWrite, type Operation, type Outcome, pets } from "./history.ts";
import { createRandom, type Random } from "./random.ts";

/** Clients of each protocol. */
const clientsEach = 3;

/** Clients that change and read the stock at once, each one operation after the other. */
export interface Workload {
  /** What was asked and answered so far, in the order of the answers. */
  readonly entries: readonly Entry[];
  /** Attempts so far that were not answered, or not so that the client knew. */
  readonly unanswered: number;
  /** Waits until so many more operations have ended. */
  more(operations: number): Promise<void>;
  /** Ends it, after the operations that are being made. Those that name themselves are sent until answered. */
  stop(): Promise<void>;
}

/** @param urls the servers that are there now: clients wait for one while there is none */
export function startWorkload(urls: () => readonly string[], key: string, from: number): Workload {
  const entries: Entry[] = [];
  const own = { stopping: false, unanswered: 0, failure: undefined as unknown };

  async function work(client: number, protocol: Protocol): Promise<void> {
    const random = createRandom(from * 1_000 + client);
    const clientOf = byUrl((url) => protocols[protocol](url, key));
    const seen: Seen = new Map();
    const attempt = async (operation: Operation, reference: string, idempotencyKey: string) => {
      const url = await until("a server is there", () => pickAny(random, urls()), 30_000);
      const outcome = await clientOf(url)(operation, { reference, idempotencyKey });
      if (outcome.kind === "unknown") {
        own.unanswered += 1;
        await delay(random.between(2, 20)); // as a client would, who does not storm what is down
      }
      return outcome;
    };
    for (let number = 0; !own.stopping; number++) {
      const operation = someOperation(random, seen);
      const reference = `${client}-${number}`;
      const idempotencyKey = isWrite(operation) && random.oneIn(2) ? reference : "";
      const call = now();
      let sent = 0;
      let outcome: Outcome;
      do {
        outcome = await attempt(operation, reference, idempotencyKey);
        sent += 1;
      } while (outcome.kind === "unknown" && idempotencyKey !== "");
      note(seen, operation, outcome);
      entries.push({
        client,
        protocol,
        reference,
        sent,
        call,
        return: now(),
        ...operation,
        outcome,
      });
    }
  }

  const all = Object.keys(protocols).flatMap((protocol) =>
    Array.from({ length: clientsEach }, () => protocol as Protocol),
  );
  const done = all.map((protocol, client) =>
    work(client, protocol).catch((error: unknown) => {
      own.failure = error;
      own.stopping = true;
    }),
  );
  const check = () => {
    if (own.failure !== undefined) throw own.failure;
  };
  return {
    entries,
    get unanswered() {
      return own.unanswered;
    },
    async more(operations) {
      const enough = entries.length + operations;
      const look = () => {
        check();
        return entries.length >= enough;
      };
      await until(`${operations} more operations`, look, 60_000);
    },
    async stop() {
      own.stopping = true;
      await Promise.all(done);
      check();
    },
  };
}

function pickAny<T>(random: Random, [first, ...others]: readonly T[]): T | undefined {
  return first && random.pick([first, ...others]);
}

/** What a client knows of the pets, and goes by. */
type Seen = Map<number, { readonly quantity: number; readonly version: number }>;

function someOperation(random: Random, seen: Seen): Operation {
  const pet = random.pick(pets);
  const last = seen.get(pet);
  const expected = {
    expectedVersion: { expectedVersion: last?.version ?? 1 },
    expectedQuantity: { expectedQuantity: last?.quantity ?? 0 },
    either: {},
  }[random.pick(["expectedVersion", "expectedQuantity", "either", "either"])];
  switch (random.pick(["list", "get", "set", "adjust", "adjust"])) {
    case "list":
      return { op: "list", pet: 0 };
    case "get":
      return { op: "get", pet };
    case "set":
      return { op: "set", pet, quantity: random.between(0, 99), ...expected };
  }
  // More is taken than is added, so that at times there is too little.
  const delta = random.oneIn(3) ? random.between(1, 50) : -random.between(1, 40);
  return { op: "adjust", pet, delta, ...expected };
}

function note(seen: Seen, { pet }: Operation, outcome: Outcome): void {
  if (outcome.kind === "item") seen.set(pet, outcome);
  if (outcome.kind === "version_mismatch") seen.set(pet, { quantity: 0, ...outcome });
}

/** Opens a client when it is first needed. */
function byUrl(open: (url: string) => StockClient): (url: string) => StockClient {
  const known = new Map<string, StockClient>();
  return (url) => {
    const client = known.get(url) ?? open(url);
    known.set(url, client);
    return client;
  };
}

function now(): number {
  return Number(process.hrtime.bigint());
}
