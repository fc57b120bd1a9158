import { setTimeout as delay } from "node:timers/promises";
import type { TopAccount } from "../../../gen/admin/v1/admin_pb.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { defaultWidth, printResult } from "../output/output.ts";
import { openScreen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { print, write } from "../output/terminal.ts";
import { withSession } from "../session/session.ts";
import { isOutage } from "../session/stock-events.ts";
import { activityBetween, parseMetrics } from "./top-metrics.ts";
import { topColumns } from "./usage.ts";

interface TopOptions {
  /** Base URL of the admin port. */
  readonly admin: string;
  /** Milliseconds between two drawings. */
  readonly interval: number;
  readonly once?: true;
}

/** Longest time to wait for metrics, in milliseconds. The processes of a service take about a second at most. */
const metricsTimeoutMs = 1_500;

/** Shortest time between two readings. Each one asks all processes of the service. */
const shortestIntervalMs = 1_000;

const pageSize = 10;

interface Shown {
  readonly activity: ReturnType<typeof activityBetween>;
  readonly accounts: readonly TopAccount[];
}

/** Shows what the service does: as a screen, as lines of JSON, or once. @throws CommandError if the metrics cannot be read */
export async function top(environment: Environment, options: TopOptions): Promise<void> {
  const url = metricsUrl(options.admin);
  if (options.interval < shortestIntervalMs) throw usageError("--interval: must be at least 1s");
  await interruptible((signal) =>
    withSession(environment, async ({ admin }) => {
      let before = await readMetrics(url);
      const next = async (): Promise<Shown | undefined> => {
        await delay(options.interval, undefined, { signal }).catch(() => {});
        if (signal.aborted) return undefined;
        const after = await readMetrics(url);
        const activity = activityBetween(before, after);
        before = after;
        const { accounts } = await admin.listTopAccounts({ pageSize });
        return { activity, accounts };
      };
      if (!options.once) return follow(environment, next);
      const shown = await next();
      if (!shown) return;
      await printResult(environment, {
        json: () => jsonOf(shown),
        text: (width) => linesOf(shown, width).join("\n"),
      });
    }),
  );
}

/** Returns why nothing can be shown at the moment. @throws the error if waiting does not change it */
function outageText(error: unknown): string {
  if (isOutage(error)) return "waiting: Redis or the server is not available";
  if (error instanceof CommandError && error.code === "unavailable") {
    return `waiting: ${error.message}`;
  }
  throw error;
}

async function follow(
  { stdout, stderr, format }: Environment,
  next: () => Promise<Shown | undefined>,
): Promise<void> {
  if (format === "csv") throw usageError("--output: csv needs --once");
  const isLines = format === "json" || format === "ndjson";
  const screen = isLines ? undefined : openScreen(stdout);
  let last: string[] = [];
  let state: string[] = [];
  try {
    for (;;) {
      try {
        const shown = await next();
        if (!shown) return;
        state = [];
        last = linesOf(shown, screen?.columns() ?? defaultWidth);
        if (!screen) await write(stdout, `${jsonOf(shown)}\n`);
      } catch (error) {
        const text = outageText(error);
        if (!screen && state.length === 0) print(stderr, `${text}\n`);
        state = [text];
      }
      screen?.draw([...last, "", ...state, "Ctrl-C ends."]);
    }
  } finally {
    screen?.close();
  }
}

function metricsUrl(base: string): URL {
  const url = URL.parse("/metrics", base);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw usageError("--admin: must be a URL such as http://127.0.0.1:9464");
}

async function readMetrics(url: URL) {
  try {
    const response = await fetch(url, {
      headers: { accept: "application/openmetrics-text; version=1.0.0" },
      signal: AbortSignal.timeout(metricsTimeoutMs),
    });
    if (response.ok) return parseMetrics(await response.text(), performance.now());
    throw new Error(`the response has the status ${response.status}`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CommandError(
      "unavailable",
      `--admin: cannot read ${url}: ${cause instanceof Error ? cause.message : cause}. Set it to the address in ADMIN_ADDR of the service`,
    );
  }
}

function jsonOf({ activity, accounts }: Shown): string {
  return JSON.stringify({
    ...activity,
    accounts: accounts.map(({ account, today, bannedKeys }) => ({
      accountId: account?.accountId,
      name: account?.name,
      admitted: Number(today?.admitted ?? 0),
      limited: Number(today?.limited ?? 0),
      banned: Number(today?.banned ?? 0),
      bannedKeys,
    })),
  });
}

function linesOf({ activity, accounts }: Shown, width: number): string[] {
  const { requestsPerSecond, verdicts, redis } = activity;
  const rates = Object.entries(verdicts).filter(([, rate]) => rate > 0);
  return [
    `requests   ${requestsPerSecond} a second`,
    ...rates.map(([verdict, rate]) => `  ${verdict.padEnd(9)}${rate}`),
    `redis      ${redis ? `50 % within ${ms(redis.p50Ms)}, 99 % within ${ms(redis.p99Ms)}` : "no operations"}`,
    "",
    "The accounts with the most requests today:",
    ...table(topColumns, accounts).lines(width),
  ];
}

function ms(value: number): string {
  return Number.isFinite(value) ? `${Number(value.toFixed(2))} ms` : "more than the largest bound";
}
