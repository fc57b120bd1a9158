import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleFile } from "./example-file.ts";
import { chartSettings } from "./json-schema.ts";
import { settingGroups, settings } from "./settings.ts";

/** Part of npm run generate. */
const root = join(import.meta.dirname, "../..");
writeFileSync(join(root, ".env.example"), exampleFile(settingGroups));

const chartFile = join(root, "deploy/helm/inventory/values.schema.json");
const chart = JSON.parse(readFileSync(chartFile, "utf8"));
chart.properties.config.properties = chartSettings(settings);
writeFileSync(chartFile, `${JSON.stringify(chart, undefined, 2)}\n`);
