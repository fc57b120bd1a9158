import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import { checkDeadline } from "../call/deadline.ts";
import { SharedPool } from "../call/shared-pool.ts";
import { type ContentCoding, shortCompressed } from "./content/coding.ts";
import { type Content, codedContent } from "./content/content.ts";
import { clientDisconnected, type HttpContext } from "./http-context.ts";
import { stepMs, TickBudget } from "./tick-budget.ts";

/** Work of less than this is not recorded as its caller's, to save the time. In milliseconds. */
const cheapMs = 0.25;

/** Maximum number of bytes of waiting requests: of one owner, and of all. */
const maxWaitingBytes = { ofOwner: 8 * 1024 * 1024, ofAll: 64 * 1024 * 1024 };

/** Most jobs of one kind that run at once. Compression and name resolution share the four threads of node's pool. */
const maxJobs = 2;
/** Most long calls that wait or run. */
const maxLongCalls = 2_048;
/** Most streams that wait for their turn to begin. */
const maxBeginning = 2_048;

/** The work of beginning a stream, in units of a short request. */
const stepsOfStream = 16;

interface Jobs {
  readonly budget: TickBudget;
  running: number;
}

/** Whose turn the work of a call is, and whether its client still waits. */
export interface WorkContext extends Pick<HttpContext, "owner" | "deadline"> {
  readonly response: Pick<HttpContext["response"], "destroyed">;
}

/**
 * Runs the work of requests whose cost depends on their content, such as parsing: at once if the event-loop tick has time
 * for it. Otherwise it waits for its turn, and callers whose work took the least time lately go first.
 */
export class CallerWork {
  readonly #budget = new TickBudget("parsing");
  readonly #messages = new TickBudget("stream messages");
  readonly #decompressions: Jobs = { budget: new TickBudget("decompression"), running: 0 };
  readonly #compressions: Jobs = { budget: new TickBudget("compression"), running: 0 };
  readonly #longCalls: Jobs = { budget: new TickBudget("long calls"), running: 0 };
  readonly #longCallPlaces = new SharedPool({ name: "long calls", size: maxLongCalls });
  readonly #beginningPlaces = new SharedPool({ name: "beginning streams", size: maxBeginning });
  readonly #overloaded: () => ConnectError;
  readonly #waitingBytes = new SharedPool({
    name: "bytes of waiting requests",
    size: maxWaitingBytes.ofAll,
    share: maxWaitingBytes.ofOwner,
  });

  /** @param overloaded makes the error of a request for which there is no room in the queue */
  constructor(overloaded = () => callError("The server is overloaded.", Code.Unavailable)) {
    this.#overloaded = overloaded;
  }

  /**
   * Runs work of a request, now or in a later event-loop tick. It takes the arguments of the work, because most requests
   * need no closure.
   *
   * @param data stays in memory while the work waits
   * @param steps the work that it causes later and that cannot be measured, in units of a short request
   * @returns the result, or a promise of it when the work was deferred
   * @throws any error of the work. If it was deferred: canceled when the client has disconnected, deadline_exceeded when
   * the client no longer waits, or the error of overload
   */
  run<C extends WorkContext, D extends { readonly length: number }, T>(
    context: C,
    data: D,
    work: (context: C, data: D) => T,
    steps = 0,
  ): T | Promise<Awaited<T>> {
    const budget = this.#budget;
    const waits = budget.hasDeferred && budget.isWaiting(context.owner);
    if (waits || budget.isSpent) {
      const bytes = data.length;
      return this.#wait(budget, context, { bytes, steps, work: () => work(context, data) });
    }
    const begun = performance.now();
    try {
      return work(context, data);
    } finally {
      const ms = performance.now() - begun + steps * stepMs;
      budget.spend(ms);
      if (ms > cheapMs) budget.charge(context.owner, ms);
    }
  }

  /** Begins a stream, as `run` does. Few wait, because each takes memory. @param work returns a promise of the end of the stream */
  async begin<C extends WorkContext, D extends { readonly length: number }, T>(
    context: C,
    data: D,
    work: (context: C, data: D) => T,
  ): Promise<Awaited<T>> {
    const place = this.#beginningPlaces.holderOf(context.owner);
    if (!place.enter()) throw this.#overloaded();
    let waits = true;
    const leave = () => {
      if (waits) place.leave();
      waits = false;
    };
    const begin = () => {
      leave();
      return work(context, data);
    };
    try {
      return await this.run(context, data, begin, stepsOfStream);
    } finally {
      leave();
    }
  }

  /**
   * Waits for the turn to send a message of a stream, and to make the next one. Without it, a client that reads fast gets
   * thousands of messages in one event-loop tick.
   *
   * @param steps the work of the message, in units of a short request
   * @returns undefined when it can be sent now
   * @throws canceled when the client has disconnected
   */
  turn(context: WorkContext, steps: number): Promise<void> | undefined {
    const budget = this.#messages;
    if (!budget.hasDeferred && budget.take(steps)) return undefined;
    return this.#wait(budget, context, { bytes: 0, steps, work: nothing });
  }

  /** Compresses a response in node's thread pool, once for each coding. @throws as `run` does; any error of the compression */
  compress(context: WorkContext, content: Content, coding: ContentCoding): Promise<Uint8Array> {
    const compress = () => codedContent(content, coding);
    if (content.coded?.has(coding)) return compress();
    return this.#inTurn(this.#compressions, context, 0, compress);
  }

  /** Decompresses data, in node's thread pool if it is long. Call it within `run`. @throws `decompressionFault` of the context, or as `run` does */
  decompress(
    context: WorkContext & {
      readonly maxMessageBytes: number;
      decompressionFault(error: unknown, coding: ContentCoding): Error;
    },
    data: Uint8Array,
    coding: ContentCoding,
  ): Uint8Array | Promise<Uint8Array> {
    const { maxMessageBytes } = context;
    if (data.length > shortCompressed) {
      return this.#inTurn(this.#decompressions, context, data.length, () =>
        coding.decompress(data, maxMessageBytes).catch((error: unknown) => {
          throw context.decompressionFault(error, coding);
        }),
      );
    }
    try {
      return coding.decompressSync(data, maxMessageBytes);
    } catch (error) {
      throw context.decompressionFault(error, coding);
    }
  }

  /** Runs a call whose response is long. Few run at once, because no budget bounds their asynchronous steps. @throws as `run` does */
  async runLong<T>(context: WorkContext, call: () => Promise<T>): Promise<T> {
    const place = this.#longCallPlaces.holderOf(context.owner);
    if (!place.enter()) throw this.#overloaded();
    try {
      return await this.#inTurn(this.#longCalls, context, 0, call);
    } finally {
      place.leave();
    }
  }

  /** Runs a job in its owner's turn. Few run at once, so that threads stay free. @param bytes of waiting data @throws as `run` does */
  async #inTurn<T>(
    jobs: Jobs,
    context: WorkContext,
    bytes: number,
    job: () => Promise<T>,
  ): Promise<T> {
    const { budget } = jobs;
    const isFree = () => jobs.running < maxJobs;
    const begin = () => {
      jobs.running += 1;
    };
    if (!budget.hasDeferred && isFree()) begin();
    else await this.#wait(budget, context, { bytes, steps: 1, work: begin, isReady: isFree });
    const begun = performance.now();
    try {
      return await job();
    } finally {
      jobs.running -= 1;
      budget.charge(context.owner, performance.now() - begun);
    }
  }

  /** @param waiting the work and, in `bytes`, the size of its data, which stays in memory in the meantime */
  #wait<T>(
    budget: TickBudget,
    context: WorkContext,
    waiting: { bytes: number; steps: number; work: () => T; isReady?: () => boolean },
  ): Promise<Awaited<T>> {
    const { bytes, steps, work, isReady = () => true } = waiting;
    const place = bytes > 0 ? this.#waitingBytes.holderOf(context.owner) : undefined;
    if (place?.enter(bytes) === false) throw this.#overloaded();
    return new Promise((resolve, reject) => {
      const begin = () => {
        if (!isReady()) return false;
        place?.leave(bytes);
        try {
          if (context.response.destroyed) throw clientDisconnected();
          checkDeadline(context.deadline);
          resolve(work() as Awaited<T>);
        } catch (error) {
          reject(error);
        }
        return true;
      };
      budget.defer(context.owner, begin, steps, context.response);
    });
  }
}

function nothing(): void {}
