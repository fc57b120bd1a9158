import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it, test } from "vitest";
import { configFaults, readConfig } from "../../src/config/config.ts";
import { effectiveSettings } from "../../src/config/effective.ts";
import { exampleFile } from "../../src/config/example-file.ts";
import { chartSettings, settingsSchema } from "../../src/config/json-schema.ts";
import type { Setting } from "../../src/config/setting.ts";
import { settingGroups, settings, together } from "../../src/config/settings.ts";
import { useFiles } from "./files.ts";

const root = join(import.meta.dirname, "../..");
const schemaText = readFileSync(join(root, "gen/settings.schema.json"), "utf8");
const example = readFileSync(join(root, ".env.example"), "utf8");
const write = useFiles();

/** Compiles the schema. @param coerceTypes whether texts are accepted as numbers */
function compile(coerceTypes: boolean) {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, coerceTypes });
  addFormats.default(ajv);
  return ajv.compile(JSON.parse(schemaText));
}

const acceptsTexts = compile(true);

/** Checks environment variables, which are texts. */
function accepts(environment: Readonly<Record<string, string>>): boolean {
  return acceptsTexts({ ...environment });
}

describe("gen/settings.schema.json", () => {
  it("is up to date: run npm run generate", () => {
    expect(JSON.parse(schemaText)).toEqual(
      JSON.parse(JSON.stringify(settingsSchema(settings, together))),
    );
  });

  it("accepts the defaults, as texts and as they are", () => {
    const defaults = Object.entries<Setting<unknown>>(settings).flatMap(
      ([name, { default: text }]) => (text === undefined ? [] : [[name, text]]),
    );
    expect(defaults.length).toBeGreaterThan(40);
    expect(accepts(Object.fromEntries(defaults))).toBe(true);
    const { properties } = JSON.parse(schemaText);
    const typed = defaults.map(([name = ""]) => [name, properties[name].default]);
    expect(compile(false)(Object.fromEntries(typed))).toBe(true);
  });

  it.each<Record<string, string>>([
    { REDIS_URL: "rediss://u:p@a:1, rediss://u:p@[::1]", REDIS_MODE: "cluster", WORKERS: "256" },
    { REDIS_URL_FILE: "/run/secrets/redis-url" },
    { TLS_CERT: "c", TLS_KEY: "k", MAX_CONNECTION_AGE_MS: "0" },
    { MAX_CONNECTION_AGE_MS: "100", PETS_SUNSET: "2028-02-29", LOG_LEVEL: "debug" },
    { OTEL_TRACES_SAMPLER_ARG: "0.25" },
  ])("accepts valid settings: %j", (environment) => {
    expect(accepts(environment)).toBe(true);
    if (!("REDIS_URL_FILE" in environment)) readConfig(environment);
  });

  it.each<Record<string, string>>([
    { PORT: "65536" },
    { PORT: "-1" },
    { PORT: "abc" },
    { WORKERS: "0" },
    { HOST: "a b" },
    { HOST: "" },
    { MAX_CONNECTION_AGE_MS: "30" },
    { LOG_LEVEL: "verbose" },
    { PETS_SUNSET: "2027-13-01" },
    { PETS_SUNSET: "tomorrow" },
    { REDIS_URL: "http://a" },
    { REDIS_USERNAME: "a b" },
    { OTEL_TRACES_SAMPLER_ARG: "1.5" },
    { TLS_CERT: "c" },
    { REDIS_TLS_KEY: "k" },
    { REDIS_URL: "redis://a", REDIS_URL_FILE: "f" },
    { REDIS_ULR: "redis://a" },
    { PORT_FILE: "f" },
  ])("rejects invalid settings: %j", (environment) => {
    expect(accepts(environment)).toBe(false);
  });
});

test("deploy/helm/inventory/values.schema.json is up to date: run npm run generate", () => {
  const chart = readFileSync(join(root, "deploy/helm/inventory/values.schema.json"), "utf8");
  expect(JSON.parse(chart).properties.config.properties).toEqual(
    JSON.parse(JSON.stringify(chartSettings(settings))),
  );
});

describe(".env.example", () => {
  it("is up to date: run npm run generate", () => {
    expect(example).toBe(exampleFile(settingGroups));
  });

  it.each([
    ["as it is", example],
    ["with every setting", example.replace(/^#(?=[A-Z_]+=)/gm, "")],
  ])("is a valid CONFIG_FILE with the defaults, %s", (_, text) => {
    const path = write("example.env", text);
    expect(configFaults({ CONFIG_FILE: path })).toEqual([]);
    expect(JSON.stringify(readConfig({ CONFIG_FILE: path }))).toBe(JSON.stringify(readConfig({})));
  });

  it("has every setting except CONFIG_FILE", () => {
    const names = [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(["CONFIG_FILE", ...names]).toEqual(effectiveSettings({}).map(({ name }) => name));
  });
});
