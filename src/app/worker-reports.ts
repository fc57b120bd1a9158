import { randomUUID } from "node:crypto";
import { minuteMs } from "../common/durations.ts";
import type { DiagnosticTask } from "../observability/admin-port/handlers.ts";
import type { ProcessReport, ServiceReport } from "../observability/admin-port/health.ts";
import type { Metric } from "../observability/metrics/metric.ts";
import {
  mergeSnapshots,
  type Registry,
  type Snapshot,
  withoutGauges,
} from "../observability/metrics/registry.ts";

/** How long a worker may take to report, in milliseconds. A hung worker must not block a scrape. */
const reportMs = 1_000;

/** How much longer than its task a diagnosis may take, in milliseconds. A heap snapshot of 1 GB takes about 20 s. */
const diagnosisMs = minuteMs;

/** The other end of a connection between processes. */
export interface Peer {
  readonly id: number;
  send(message: object): void;
}

/** Asks a worker for its report, or for a file with a diagnosis. */
type Question =
  | { readonly kind: "metrics" | "health" }
  | { readonly kind: "diagnosis"; readonly task: DiagnosticTask };

interface Ask {
  readonly ask: string;
  readonly question: Question;
}

/** The response to an {@link Ask}. `last`: the final report of a worker that ends, sent without an {@link Ask}. */
interface Answer {
  readonly answer: string;
  readonly report?: ProcessReport;
  readonly path?: string;
  readonly error?: string;
}

const last = "last";

/**
 * Collects the reports of workers. The counts of ended workers stay in the totals, so that no counter goes down. If a
 * worker is killed, its counts since its last report are lost.
 *
 * @param expected the number of workers that should run
 * @param own the metrics of this process
 * @param onSilent called with the number of workers that did not report in time
 */
export function createWorkerReports(
  expected: number,
  metrics: readonly Metric[],
  own: Registry,
  onSilent: (count: number) => void,
) {
  const running = new Map<number, { readonly worker: Peer; latest: ProcessReport | undefined }>();
  const waiting = new Map<string, (answer: Answer | undefined) => void>();
  let ofEnded: Snapshot = {};

  /** @returns undefined when the worker does not respond in time */
  function ask(worker: Peer, question: Question, timeoutMs: number): Promise<Answer | undefined> {
    const id = randomUUID();
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(settle, timeoutMs, undefined);
      waiting.set(id, settle);
      worker.send({ ask: id, question } satisfies Ask);
    });
  }

  return {
    started: (worker: Peer) => void running.set(worker.id, { worker, latest: undefined }),
    received(worker: Pick<Peer, "id">, message: object): void {
      if (!isAnswer(message)) return;
      const entry = running.get(worker.id);
      // A report on health has no metrics.
      const { report } = message;
      if (entry && report && Object.keys(report.snapshot).length > 0) entry.latest = report;
      waiting.get(message.answer)?.(message);
    },
    ended(worker: Pick<Peer, "id">): void {
      const snapshot = running.get(worker.id)?.latest?.snapshot;
      running.delete(worker.id);
      if (snapshot) ofEnded = mergeSnapshots(metrics, [ofEnded, withoutGauges(metrics, snapshot)]);
    },
    async report(kind: "metrics" | "health"): Promise<ServiceReport> {
      const asked = [...running.values()].map(({ worker }) => ask(worker, { kind }, reportMs));
      const answers = await Promise.all(asked);
      const processes = answers.flatMap((answer) => answer?.report ?? []);
      const silent = answers.filter((answer) => answer === undefined).length;
      onSilent(silent);
      if (kind === "health") return { snapshot: {}, processes, expected, silent };
      const ofRunning = [...running.values()].map(({ latest }) => latest?.snapshot ?? {});
      const snapshots = [own.snapshot(), ofEnded, ...ofRunning];
      return { snapshot: mergeSnapshots(metrics, snapshots), processes, expected, silent };
    },
    async diagnose(task: DiagnosticTask, id: number | undefined): Promise<string> {
      const entry = id === undefined ? undefined : running.get(id);
      if (!entry) {
        const ids = [...running.keys()].join(", ");
        throw new RangeError(`Add the parameter worker with the number of a worker: ${ids}.`);
      }
      const taskMs = task.kind === "cpu-profile" ? task.seconds * 1_000 : 0;
      const question = { kind: "diagnosis", task } as const;
      const answer = await ask(entry.worker, question, taskMs + diagnosisMs);
      if (answer?.path === undefined) {
        throw new Error(`worker ${id} made no diagnosis: ${answer?.error ?? "no response"}`);
      }
      return answer.path;
    },
  };
}

export interface WorkerSources {
  report(kind: "metrics" | "health"): Promise<ProcessReport>;
  diagnose(task: DiagnosticTask): Promise<string>;
}

/** Returns a function that responds to the messages of {@link createWorkerReports}, and ignores all others. */
export function createWorkerAnswers(
  parent: Pick<Peer, "send">,
  sources: WorkerSources,
): (message: object) => void {
  async function answerTo({ ask, question }: Ask): Promise<Answer> {
    if (question.kind !== "diagnosis") {
      return { answer: ask, report: await sources.report(question.kind) };
    }
    return { answer: ask, path: await sources.diagnose(question.task) };
  }

  return (message) => {
    if (!isAsk(message)) return;
    answerTo(message).then(
      (answer) => parent.send(answer),
      (error: unknown) => parent.send({ answer: message.ask, error: String(error) }),
    );
  };
}

/** Sends the final report of a worker that ends. */
export async function sendLastReport(
  parent: Pick<Peer, "send">,
  { report }: Pick<WorkerSources, "report">,
): Promise<void> {
  parent.send({ answer: last, report: await report("metrics") } satisfies Answer);
}

const isAsk = (message: object): message is Ask => "ask" in message;

const isAnswer = (message: object): message is Answer => "answer" in message;
