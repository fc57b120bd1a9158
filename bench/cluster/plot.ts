import { panels } from "../scale/panel.ts";
import { figure } from "../scale/plot.ts";
import type { Curve } from "../scale/subject.ts";
import type { DecisionCost } from "./decisions.ts";
import type { Measured } from "./rounds.ts";

/** Draws Redis CPU of a decision by the number of primaries: in the busiest one, and in all. */
export function clusterPlot(
  shares: ReadonlyMap<string, readonly Measured<DecisionCost>[]>,
): string {
  const curves = [
    curve("A decision, in the busiest primary", "busiest", shares),
    curve("A decision, in all primaries", "all", shares),
  ];
  return figure(
    "Redis CPU of a decision by the number of primaries",
    curves.flatMap((each) => panels(each, "primaries")),
  );
}

function curve(
  title: string,
  cost: DecisionCost,
  shares: ReadonlyMap<string, readonly Measured<DecisionCost>[]>,
): Curve {
  const [row = []] = shares.values();
  return {
    title,
    // The whole name is longer than a panel.
    lines: [...shares.keys()].map((name) => ({
      name: name.replace("for each primary", "each"),
      unit: "µs",
    })),
    bySize: new Map(
      row.map((_, index) => [
        index + 1,
        [...shares.values()].flatMap((each) => each[index]?.values[cost] ?? []),
      ]),
    ),
  };
}
