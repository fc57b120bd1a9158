import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindRoutes } from "../../call/routes.ts";
import { readConfig } from "../../config/config.ts";
import { httpJson } from "../../contract/http-json.ts";
import { compileRoutes } from "../../rest/path/route.ts";
import { createServices } from "../../services/services.ts";
import { createMemoryStores } from "../../stores/memory/stores.ts";
import { writeDocument } from "./document.ts";

/** Part of npm run generate. Writes the document that a server with default settings serves. */
const routes = bindRoutes(createServices(createMemoryStores())).flatMap((method) =>
  compileRoutes(method, httpJson),
);
const file = join(import.meta.dirname, "../../../gen/openapi.json");
writeFileSync(file, writeDocument(routes, readConfig({})));
