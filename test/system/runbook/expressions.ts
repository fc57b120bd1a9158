import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const deploy = join(import.meta.dirname, "../../../deploy");

/** What Grafana would put in the place of variables. */
const variables: Readonly<Record<string, string>> = {
  $__rate_interval: "5m",
  $__range: "30d",
  $job: "inventory",
  $instance: ".*",
};

/** Returns the expressions of all panels, with values for the variables of Grafana. */
export function dashboardExpressions(): string[] {
  return globSync(join(deploy, "grafana/*.json"))
    .sort()
    .flatMap((path) => {
      const { panels } = JSON.parse(readFileSync(path, "utf8")) as {
        panels: readonly { targets?: readonly { expr: string }[] }[];
      };
      return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => withValues(expr)));
    });
}

function withValues(expression: string): string {
  return expression.replace(/\$\w+/g, (name) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`${name} is not a variable of the dashboards`);
    return value;
  });
}
