import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../config/config.ts";
import { httpJson } from "../../contract/http-json.ts";
import { compileRoutes } from "../../rest/path/route.ts";
import { createMethods } from "../../services/services.ts";
import { createMemoryStores } from "../../stores/memory/stores.ts";
import { writeDocument } from "./document.ts";

/** Part of npm run generate. Writes the document that a server with default settings serves. */
const routes = createMethods(createMemoryStores()).flatMap((method) =>
  compileRoutes(method, httpJson),
);
const file = join(import.meta.dirname, "../../../gen/openapi.json");
writeFileSync(file, writeDocument(routes, readConfig({})));
