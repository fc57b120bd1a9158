/**
 * Checks the rules, their tests, the example configuration and the expressions of the dashboards with promtool.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPackages } from "../harness/debian-packages.ts";
import { newDirectory } from "../harness/directory.ts";
import { dashboardExpressions } from "./expressions.ts";

const deploy = join(import.meta.dirname, "../../../deploy");
const prometheus = join(deploy, "prometheus");

/** @throws Error after promtool has printed what is wrong */
function promtool(...args: readonly string[]): void {
  execFileSync("promtool", args, { stdio: ["ignore", "inherit", "inherit"] });
}

installPackages({
  ...{ promtool: "prometheus", prometheus: "prometheus" },
  // The commands of the runbook need these.
  ...{ "redis-cli": "redis-tools", curl: "curl", openssl: "openssl", ss: "iproute2" },
});
promtool("check", "config", join(prometheus, "prometheus.yaml"));
promtool("test", "rules", ...globSync(join(prometheus, "tests/*.yaml")).sort());

const directory = newDirectory();
// Debian builds Prometheus without the discovery of Kubernetes. The checks of deployment compare it with the manifests.
const kubernetes = readFileSync(join(prometheus, "kubernetes.yaml"), "utf8");
const [discovery = ""] = /^ {4}kubernetes_sd_configs:\n(?: {6}.*\n)+/m.exec(kubernetes) ?? [];
const copy = join(directory, "kubernetes.yaml");
writeFileSync(copy, kubernetes.replace(discovery, ""));
promtool("check", "config", "--syntax-only", copy);

const rules = dashboardExpressions().map((expr, index) => ({ record: `panel${index}`, expr }));
const file = join(directory, "dashboards.yaml");
writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboards", rules }] }));
promtool("check", "rules", file);

const dashboards = globSync(join(deploy, "grafana/*.json"));
const before = dashboards.map((path) => readFileSync(path, "utf8"));
execFileSync(process.execPath, [join(deploy, "grafana/write-dashboards.ts")]);
if (dashboards.some((path, index) => readFileSync(path, "utf8") !== before[index])) {
  throw new Error("the dashboards were out of date: commit what npm run generate has written");
}
