import { number } from "../report/format.ts";
import { table } from "../report/markdown.ts";
import { measuredCosts, measuredRuns } from "./costs.ts";
import { growth, networkMicros, type RateScenario, updates, worked } from "./scenarios.ts";
import { mostChanges } from "./service.ts";
import { simulate } from "./simulate.ts";

/** Returns the tables of all simulations by name. They are the same in every run. */
export function simulationTables(): Readonly<Record<string, string>> {
  return {
    costs: costTable(),
    growth: scenarioTable(growth),
    stock: stockTable(),
    worked: scenarioTable(worked),
    validation: validationTable(),
  };
}

function costTable(): string {
  const names = {
    wake: "waking up an idle event loop",
    message: "commands written to a server at once, and their replies",
    call: "a script call",
    decision: "a decision of the limiter",
    change: "a change",
    changeRead: "a change that a process reads to keep its list current",
    read: "the rest of a request that reads the list",
    update: "the rest of a request that changes an item",
  };
  const own: Readonly<Record<string, number>> = { ...measuredCosts.process };
  const redis: Readonly<Record<string, number>> = { ...measuredCosts.redis };
  const cell = (value: number | undefined) => (value === undefined ? "" : number(value));
  return table(
    ["", "process, µs", "Redis, µs"],
    Object.entries(names).map(([key, name]) => [name, cell(own[key]), cell(redis[key])]),
  );
}

function scenarioTable(scenarios: readonly RateScenario[]): string {
  return table(
    ["", "processes", "primaries", "process", "stock", "others", "p99, ms"],
    scenarios.map((scenario) => {
      const { busy, served, p99 } = simulate(scenario, measuredCosts);
      const { title, processes, primaries, stockAlone } = scenario;
      return [
        title,
        String(processes),
        stockAlone ? `${primaries - 1} + 1` : String(primaries),
        percent(busy.process),
        percent(busy.stock),
        busy.others === undefined ? "" : percent(busy.others),
        served > 0.99 ? number(p99) : "grows",
      ];
    }),
  );
}

/** Shows how many changes a primary carries that does nothing else. */
function stockTable(): string {
  const { redis } = measuredCosts;
  const own = redis.change + (redis.message + redis.call) / mostChanges;
  return table(
    ["processes that read the changes", "maximum of changes per second"],
    [0, 1, 4, 16, 64].map((processes) => {
      const micros = own + processes * redis.changeRead;
      return [String(processes), number(Math.round(1_000 / micros) * 1_000)];
    }),
  );
}

/** Compares simulations of one process with measurements. */
function validationTable(): string {
  return table(
    ["run", "", "measured", "simulated", "simulated / measured"],
    measuredRuns.flatMap(({ name, load, ...measured }) => {
      const one = { processes: 1, primaries: 1, updates: 0, networkMicros: 0, seconds: 2 };
      const { busy, rate, p50 } = simulate({ ...one, load }, measuredCosts);
      const perRequest = (part: number) => (part * 1_000_000) / rate;
      const rows: [string, number, number][] = [
        ["process, µs/req", measured.server, perRequest(busy.process)],
        ["Redis, µs/req", measured.redis, perRequest(busy.stock)],
        ["p50, µs", measured.p50, p50 * 1_000],
      ];
      return rows.map(([what, real, simulated], index) => [
        index === 0 ? name : "",
        ...[what, number(real), number(simulated), number(simulated / real)],
      ]);
    }),
  );
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

/** Returns what all scenarios share, in words. */
export function assumptions(): string {
  return `${updates * 100} % of the requests change an item, the others read the list; ${networkMicros} µs from a process to Redis`;
}
