import { assumptions, simulationTables } from "./simulation/report.ts";

/** Prints what the simulation of this service shows: `npm run task bench-simulate`. */
process.stdout.write(`${assumptions()}\n`);
for (const [name, rows] of Object.entries(simulationTables())) {
  process.stdout.write(`\n${name}\n\n${rows}\n`);
}
