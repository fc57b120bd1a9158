import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../harness/child.ts";
import { freePort } from "../harness/redis-server.ts";
import { writeScaledRules } from "./scaled-rules.ts";

/** An alert that is pending or firing. */
interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: "pending" | "firing";
}

/** A Prometheus server that evaluates the rules every second. */
export interface Prometheus {
  readonly url: string;
  /** Adds an admin port to the targets, under a job name of its own. */
  addTarget(job: string, port: number): void;
  /** Reads the configuration again. */
  reload(): void;
  /** The value of a metric of a job's service; undefined if Prometheus has none. */
  value(metric: string, job: string): Promise<number | undefined>;
  /** The alerts of a job. The alert that there is no target at all belongs to every job. */
  alerts(job: string): Promise<readonly Alert[]>;
  stop(): void;
}

/** Starts Prometheus without targets. @param directory for its data and its log */
export async function startPrometheus(directory: string): Promise<Prometheus> {
  const port = await freePort();
  const targets = join(directory, "targets.json");
  const list: unknown[] = [];
  writeFileSync(targets, "[]");
  mkdirSync(join(directory, "data"));
  const config = join(directory, "prometheus.yaml");
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
      rule_files: writeScaledRules(directory),
      scrape_configs: [
        { job_name: "inventory", file_sd_configs: [{ files: [targets], refresh_interval: "1s" }] },
      ],
    }),
  );
  const child = startChild([
    "prometheus",
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=warn",
  ]);
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await child.until("Prometheus is ready", isReady);

  return {
    url,
    addTarget(job, adminPort) {
      list.push({ targets: [`127.0.0.1:${adminPort}`], labels: { job } });
      writeFileSync(targets, JSON.stringify(list));
    },
    reload: () => void child.kill("SIGHUP"),
    async value(metric, job) {
      const query = encodeURIComponent(`${metric}{job="${job}"}`);
      const reply = await fetch(`${url}/api/v1/query?query=${query}`);
      const { data } = (await reply.json()) as { data: { result: { value: [number, string] }[] } };
      const [sample] = data.result;
      return sample && Number(sample.value[1]);
    },
    async alerts(job) {
      const reply = await fetch(`${url}/api/v1/alerts`);
      const { data } = (await reply.json()) as { data: { alerts: readonly Alert[] } };
      return data.alerts.filter(({ labels }) => labels.job === undefined || labels.job === job);
    },
    stop: () => child.kill("SIGKILL"),
  };
}

/** The names of all alerts, in the order of the file. */
export function alertNames(): string[] {
  const file = join(import.meta.dirname, "../../../deploy/prometheus/alerts.yaml");
  return [...readFileSync(file, "utf8").matchAll(/^ +- alert: (\w+)$/gm)].map(([, n = ""]) => n);
}
