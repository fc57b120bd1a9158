import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../config.ts";
import { createMemoryStores } from "../memory/stores.ts";
import { httpJson } from "../rest/json-form.ts";
import { compileRoutes } from "../rest/route.ts";
import { createMethods } from "../services.ts";
import { writeDocument } from "./document.ts";

/** A part of npm run generate: writes the document as a service with default settings serves it. */
const routes = createMethods(createMemoryStores()).flatMap((method) =>
  compileRoutes(method, httpJson),
);
const file = join(import.meta.dirname, "../../gen/openapi.json");
writeFileSync(file, writeDocument(routes, readConfig({})));
