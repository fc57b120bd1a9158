import { setTimeout as delay } from "node:timers/promises";
import { type CollectorOptions, createCollector, type SendResult } from "./collector.ts";
import { encodeRequest } from "./otlp-traces.ts";

/** Options of {@link createSpanExporter}. */
export interface SpanExporterOptions extends QueueOptions, SpanObservers {
  readonly collector: CollectorOptions;
  /** The resource that the spans belong to, encoded. */
  readonly resource: Uint8Array;
  /** The name of the code that makes the spans. */
  readonly scope: string;
}

/** Bounds of the spans that wait. */
export interface QueueOptions {
  /** Most spans that wait. Further ones are dropped. */
  readonly maxQueue: number;
  /** Most spans of one request to the collector. */
  readonly maxBatch: number;
  /** How long the first span of a batch waits for others, in milliseconds. */
  readonly delayMs: number;
  /** How long a batch is sent again, in milliseconds, before it is dropped. */
  readonly timeoutMs: number;
}

/** Functions that are called with what happens to spans. */
export interface SpanObservers {
  /** Called with the number of spans that the collector has accepted. */
  readonly onExported: (spans: number) => void;
  /** Called with the number of spans that are lost. */
  readonly onDropped: (spans: number) => void;
  /** Called when a batch is lost, at most once a minute, with the reason and the number of all spans lost so far. */
  readonly onFailure: (reason: string, lost: number) => void;
}

export type SpanExporter = ReturnType<typeof createSpanExporter>;

/** Delay before the second attempt to send a batch, in milliseconds. Each further one is twice as long. */
const firstRetryMs = 1_000;

/** Longest pause that a collector can ask for, in milliseconds. */
const longestPauseMs = 300_000;

/** Shortest time between two reports of failures, in milliseconds. */
const reportEveryMs = 60_000;

/**
 * Creates a bounded queue of spans and sends them in batches, one after the other. Whatever the collector does, the
 * memory is bounded, and only spans are lost.
 */
export function createSpanExporter(options: SpanExporterOptions) {
  const { maxQueue, maxBatch, delayMs, resource, scope, onExported } = options;
  const closing = new AbortController();
  /** Aborted when the time to close is over: all requests end together then. */
  const closed = new AbortController();
  const send = createCollector(options.collector);
  let queue: Uint8Array[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let dropped = 0;

  function drop(spans: number): void {
    dropped += spans;
    options.onDropped(spans);
  }

  function schedule(): void {
    if (running) return;
    if (queue.length >= maxBatch) run();
    else timer ??= setTimeout(run, delayMs).unref();
  }

  function run(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running ??= sendBatches()
      .catch((error: unknown) => options.onFailure(`a bug: ${error}`, dropped))
      .finally(() => {
        running = undefined;
        if (queue.length > 0 && !closing.signal.aborted) schedule();
      });
    return running;
  }

  async function sendBatches(): Promise<void> {
    do {
      const batch = queue.slice(0, maxBatch);
      queue = queue.slice(maxBatch);
      const result = await sendWithRetries(encodeRequest(resource, scope, batch));
      const lost =
        result.kind === "accepted" ? Math.min(result.rejected, batch.length) : batch.length;
      if (lost < batch.length) onExported(batch.length - lost);
      if (lost > 0) drop(lost);
      if (result.kind === "failed") report(result.reason);
      else if (lost > 0) report("the collector has rejected spans");
    } while (queue.length >= maxBatch || (closing.signal.aborted && queue.length > 0));
  }

  async function sendWithRetries(body: Uint8Array<ArrayBuffer>): Promise<SendResult> {
    const endsAt = performance.now() + options.timeoutMs;
    for (let retryMs = firstRetryMs; ; retryMs *= 2) {
      const result = await sendOnce(body, endsAt - performance.now());
      if (result.kind === "accepted" || result.retryInMs === undefined) return result;
      // Otherwise all processes would send again at the same time.
      const jitteredMs = retryMs * (0.5 + Math.random());
      const waitMs = Math.max(result.retryInMs, jitteredMs);
      if (closing.signal.aborted || performance.now() + waitMs >= endsAt) {
        // The next batch must not be sent before the collector allows it, either.
        if (result.retryInMs > 0) await pause(Math.min(result.retryInMs, longestPauseMs));
        return result;
      }
      await pause(waitMs);
    }
  }

  async function sendOnce(body: Uint8Array<ArrayBuffer>, leftMs: number): Promise<SendResult> {
    // Node can collect the sources of AbortSignal.any before they abort. This controller is held by its timer.
    const request = new AbortController();
    const abort = () => request.abort();
    const timeoutMs = Math.max(0, Math.min(leftMs, options.collector.requestTimeoutMs));
    const limit = setTimeout(abort, timeoutMs).unref();
    closed.signal.addEventListener("abort", abort);
    if (closed.signal.aborted) abort();
    try {
      return await send(body, request.signal);
    } finally {
      clearTimeout(limit);
      closed.signal.removeEventListener("abort", abort);
    }
  }

  /** Waits, unless the exporter closes. */
  async function pause(ms: number): Promise<void> {
    const options = { signal: closing.signal, ref: false };
    await delay(ms, undefined, options).catch(() => {});
  }

  function report(reason: string): void {
    const now = performance.now();
    if (now - reportedAt < reportEveryMs) return;
    reportedAt = now;
    options.onFailure(reason, dropped);
  }

  return {
    /**
     * Adds a span to the queue, or counts it as dropped. Never waits and never throws.
     *
     * @param encode encodes the span; not called when the span is dropped
     */
    add(encode: () => Uint8Array): void {
      if (queue.length >= maxQueue || closing.signal.aborted) {
        drop(1);
        return;
      }
      queue.push(encode());
      schedule();
    },
    /** Sends each queued span once, then stops. @param graceMs the longest time that this may take */
    async close(graceMs: number): Promise<void> {
      const limit = setTimeout(() => closed.abort(), graceMs);
      closing.abort();
      await running;
      if (queue.length > 0) await run();
      clearTimeout(limit);
    },
  };
}
