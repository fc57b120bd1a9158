import { setTimeout as delay } from "node:timers/promises";
import { until } from "../harness/until.ts";
import { type Protocol, protocols } from "./clients.ts";
import {
  type Entry,
  isOfHold,
  isOpen,
  isWrite,
  type Marks,
  type Operation,
  type StockClient,
} from "./history.ts";
import { type Known, note, someOperation } from "./operations.ts";
import { createRandom, type Random } from "./random.ts";
import { keyInUse } from "./responses.ts";
import type { Service } from "./service.ts";

/** Operations after which clients pause while nobody waits for them: the time of the checker grows faster than a history. */
const mostAhead = 100;

/** Number of clients for each protocol. */
const clientsEach = 3;

/** Concurrent clients that each change and read the stock, one operation after another. */
export interface Workload {
  /** All finished operations, in the order of their ends. */
  readonly entries: readonly Entry[];
  /** Number of attempts without a response that shows whether the operation was made. */
  readonly unanswered: number;
  /** Waits until this many more operations have finished. */
  more(operations: number): Promise<void>;
  /** Waits until this many more attempts had no response. */
  moreUnanswered(attempts: number): Promise<void>;
  /** Stops after the current operations. Idempotent ones are retried until there is a response. */
  stop(): Promise<void>;
}

/** Starts the clients. @param urls returns the current servers; clients wait until there are some */
export function startWorkload(
  urls: () => readonly string[],
  { key, initial }: Service,
  from: number,
): Workload {
  const entries: Entry[] = [];
  // Clients share what they know, so that the conditions of some requests are met.
  const known: Known = {
    items: new Map(),
    orders: [],
    holds: { latest: 1 },
    hasOthers: initial.others.count > 0,
  };
  const own = { stopping: false, unanswered: 0, failure: undefined as unknown };
  let most = mostAhead;

  async function work(client: number, protocol: Protocol): Promise<void> {
    const random = createRandom(from * 1_000 + client);
    const clientOf = byUrl((url) => protocols[protocol](url, key));
    const someServer = () => until("a server is there", () => pickAny(random, urls()), 30_000);
    const attempt = async (url: string, operation: Operation, marks: Marks) => {
      const outcome = await clientOf(url)(operation, marks);
      if (outcome.kind === "unknown") {
        if (outcome.why !== keyInUse) own.unanswered += 1;
        await delay(random.between(2, 20)); // back off, as real clients do
      }
      return outcome;
    };
    for (let number = 0; !own.stopping; number++) {
      await until("clients may go on", () => entries.length < most || own.stopping, 60_000);
      const operation = someOperation(random, known, protocol);
      const reference = `${client}-${number}`;
      const canHaveKey = isWrite(operation) && operation.op !== "cancel" && !isOfHold(operation);
      const idempotencyKey = canHaveKey && random.oneIn(2) ? reference : "";
      const isRepeated = idempotencyKey !== "" || (operation.op === "cancel" && random.oneIn(2));
      const marks = { reference, idempotencyKey };
      const timeoutMs = random.oneIn(5) ? random.between(2, 15) : undefined;
      const call = now();
      let url = await someServer();
      let outcome = await attempt(url, operation, { ...marks, timeoutMs });
      let sent = 1;
      for (; isRepeated && isOpen(outcome); sent++) {
        url = await someServer();
        outcome = await attempt(url, operation, marks);
      }
      const entry = {
        client,
        protocol,
        reference,
        sent,
        call,
        return: now(),
        ...operation,
        outcome,
      };
      if (isWrite(operation) && outcome.kind === "expired") {
        const settled = await settle(attempt, url, entry);
        entries.push({ ...entry, ...(settled && { settled: settled.return }) });
        if (settled) entries.push(settled);
      } else {
        entries.push(entry);
      }
      note(known, operation, outcome);
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
  const go = async (name: string, isEnough: () => boolean) => {
    most = Number.POSITIVE_INFINITY;
    const look = () => {
      check();
      return isEnough();
    };
    await until(name, look, 60_000);
    most = entries.length + mostAhead;
  };
  return {
    entries,
    get unanswered() {
      return own.unanswered;
    },
    async more(operations) {
      const enough = entries.length + operations;
      await go(`${operations} more operations`, () => entries.length >= enough);
    },
    async moreUnanswered(attempts) {
      const enough = own.unanswered + attempts;
      await go(`${attempts} attempts without a response`, () => own.unanswered >= enough);
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

/** Reads a pet through the server that reported an expired deadline. Returns undefined if the read fails. */
async function settle(
  attempt: (url: string, operation: Operation, marks: Marks) => Promise<Entry["outcome"]>,
  url: string,
  { client, protocol, reference: expired }: Entry,
): Promise<Entry | undefined> {
  const operation = { op: "get", pet: 1 } as const;
  const reference = `${expired}-settled`;
  const call = now();
  const outcome = await attempt(url, operation, { reference, idempotencyKey: "" });
  const entry = {
    client,
    protocol,
    reference,
    sent: 1,
    call,
    return: now(),
    ...operation,
    outcome,
  };
  return isOpen(outcome) ? undefined : entry;
}

/** Creates a client when it is first needed. */
function byUrl(open: (url: string) => StockClient): (url: string) => StockClient {
  const known = new Map<string, StockClient>();
  return (url) => {
    const client = known.get(url) ?? open(url);
    known.set(url, client);
    return client;
  };
}

/** Nanoseconds of a monotonic clock. */
export function now(): number {
  return Number(process.hrtime.bigint());
}
