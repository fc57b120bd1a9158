import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindRoutes } from "connect-gateway/client";
import { compileRoutes } from "connect-gateway/rest";
import { readConfig } from "../../src/config/config.ts";
import { settingGroups, settings } from "../../src/config/settings.ts";
import { httpJson } from "../../src/contract/json.ts";
import { createServices } from "../../src/services/services.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { writeDocument } from "./openapi/document.ts";
import { describeRpc } from "./rpc-reference.ts";
import { chartSettings, exampleFile } from "./setting-files.ts";

/** Part of npm run generate. The OpenAPI document is that of a server with default settings. */
const root = join(import.meta.dirname, "../..");
const trail = { append: async () => 0 };
const routes = bindRoutes(createServices(createMemoryStores(), { trail })).flatMap((method) =>
  compileRoutes(method, httpJson),
);
writeFileSync(join(root, "gen/openapi.json"), writeDocument(routes, readConfig({})));
writeFileSync(join(root, "gen/rpc.json"), `${JSON.stringify(describeRpc(), undefined, 2)}\n`);
writeFileSync(join(root, ".env.example"), exampleFile(settingGroups));

const chartFile = join(root, "deploy/helm/inventory/values.schema.json");
const chart = JSON.parse(readFileSync(chartFile, "utf8"));
chart.properties.config.properties = chartSettings(settings);
writeFileSync(chartFile, `${JSON.stringify(chart, undefined, 2)}\n`);
