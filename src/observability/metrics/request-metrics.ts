import { codeName, type Operation, type RequestRecord } from "connect-gateway/call";
import { callRecordOf } from "../../common/call-context.ts";
import { knownMethod, rpcSystems } from "../semantic-names.ts";
import { metrics } from "./definitions.ts";
import { add, observe, type Series } from "./metric.ts";
import type { Registry } from "./registry.ts";

/** Reasons of errors that are conflicts, with their labels. */
const conflictReasons: readonly string[] = [
  "PET_EXISTS",
  "STOCK_TOO_SMALL",
  "STOCK_TOO_LARGE",
  "VERSION_MISMATCH",
  "QUANTITY_MISMATCH",
  "IDEMPOTENCY_KEY_IN_USE",
  "IDEMPOTENCY_KEY_REUSED",
  "ORDER_STATUS",
];

/** The series of an operation by protocol or HTTP method, and code. */
type SeriesOfOperation = Map<string, Map<number, Series>>;

/** Makes the function that counts a closed request. After the first, its series is found by identity, without closures. */
export function createRequestMetrics(
  registry: Registry,
): (record: RequestRecord, method: string | undefined) => void {
  const rpcDuration = registry.family(metrics.rpcDuration);
  const httpDuration = registry.family(metrics.httpDuration);
  const admissions = registry.family(metrics.admissions);
  const replays = registry.family(metrics.replays).with();
  const changes = registry.family(metrics.changes);
  const conflictsOf = (reason: string) =>
    registry.family(metrics.conflicts).with(reason.toLowerCase());
  const conflicts = new Map(conflictReasons.map((reason) => [reason, conflictsOf(reason)]));
  const byOperation = new Map<Operation, SeriesOfOperation>();
  const byReason = new Map<string, Series>();
  const byVerdict = new Map<string, Map<string, Series>>();

  function durationSeries({ operation, protocol, code }: RequestRecord, method: string): Series {
    const kind = protocol === "http" ? method : protocol;
    const byKind = byOperation.getOrInsertComputed(operation, newMap);
    const byCode = byKind.getOrInsertComputed(kind, newMap);
    const known = byCode.get(code);
    if (known) return known;
    const made =
      protocol === "http"
        ? httpDuration.with(method, operation.route, String(code))
        : rpcDuration.with(rpcSystems[protocol], rpcMethod(operation), codeName(protocol, code));
    byCode.set(code, made);
    return made;
  }

  function admissionSeries(verdict: string, plan: string): Series {
    const byPlan = byVerdict.getOrInsertComputed(verdict, newMap);
    const known = byPlan.get(plan);
    if (known) return known;
    const made = admissions.with(verdict, plan);
    byPlan.set(plan, made);
    return made;
  }

  return (record, method) => {
    const seconds = (performance.now() - record.startedAt) / 1_000;
    observe(durationSeries(record, knownMethod(method)), seconds);
    const { reason } = record;
    const { verdict, plan = "", isReplay, changed } = callRecordOf(record);
    if (verdict !== undefined) add(admissionSeries(verdict, plan));
    if (isReplay) add(replays);
    else if (changed !== undefined && reason === undefined && isSuccess(record)) {
      add(byReason.getOrInsertComputed(changed, () => changes.with(changed)));
    }
    if (reason !== undefined) {
      const conflict = conflicts.get(reason);
      if (conflict) add(conflict);
    }
  };
}

function newMap<K, V>(): Map<K, V> {
  return new Map();
}

function isSuccess({ protocol, code }: RequestRecord): boolean {
  return protocol === "http" ? code < 300 : code === 0;
}

/** Returns the method's name as the semantic conventions have it: without the first slash of its path. */
function rpcMethod({ route }: Operation): string {
  return route.replace(/^\//, "");
}
