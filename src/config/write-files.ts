import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleFile } from "./example-file.ts";
import { chartSettings, settingsSchema } from "./json-schema.ts";
import { settingGroups, settings, together } from "./settings.ts";

/** Part of npm run generate. */
const root = join(import.meta.dirname, "../..");
const schema = settingsSchema(settings, together);
writeFileSync(join(root, "gen/settings.schema.json"), `${JSON.stringify(schema, undefined, 2)}\n`);
writeFileSync(join(root, ".env.example"), exampleFile(settingGroups));

const chartFile = join(root, "deploy/helm/inventory/values.schema.json");
const chart = JSON.parse(readFileSync(chartFile, "utf8"));
chart.properties.config.properties = chartSettings(settings);
writeFileSync(chartFile, `${JSON.stringify(chart, undefined, 2)}\n`);
