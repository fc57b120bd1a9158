import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { chartSettings, exampleFile } from "../../packaging/generate/setting-files.ts";
import { configFaults, readConfig } from "../../src/config/config.ts";
import type { Setting } from "../../src/config/setting.ts";
import { settingGroups, settings } from "../../src/config/settings.ts";
import { effectiveSettings } from "../../src/config/sources.ts";
import { useFiles } from "./files.ts";

const root = join(import.meta.dirname, "../..");
const example = readFileSync(join(root, ".env.example"), "utf8");
const write = useFiles();

describe("deploy/helm/inventory/values.schema.json", () => {
  const file = readFileSync(join(root, "deploy/helm/inventory/values.schema.json"), "utf8");
  const { config } = JSON.parse(file).properties;
  const ajv = new Ajv2020({ strict: true, strictTypes: false, coerceTypes: true });
  addFormats.default(ajv);
  const isValid = ajv.compile(config);
  const accepts = (settings: Readonly<Record<string, string>>) => isValid({ ...settings });

  test("is up to date: run npm run generate", () => {
    expect(config.properties).toEqual(JSON.parse(JSON.stringify(chartSettings(settings))));
  });

  test("accepts the defaults", () => {
    const defaults = Object.entries<Setting<unknown>>(settings).flatMap(
      ([name, { default: text }]) =>
        text === undefined || !(name in config.properties) ? [] : [[name, text]],
    );
    expect(defaults.length).toBeGreaterThan(40);
    expect(accepts(Object.fromEntries(defaults))).toBe(true);
  });

  test.each<Record<string, string>>([
    { WORKERS: "256", MAX_CONNECTION_AGE_MS: "0" },
    { MAX_CONNECTION_AGE_MS: "100", PETS_SUNSET: "2028-02-29", LOG_LEVEL: "debug" },
    { OTEL_TRACES_SAMPLER_ARG: "0.25" },
  ])("accepts valid settings: %j", (environment) => {
    expect(accepts(environment)).toBe(true);
    readConfig({ REDIS_URL: "redis://a", ...environment });
  });

  test.each<Record<string, string>>([
    { WORKERS: "0" },
    { WORKERS: "abc" },
    { MAX_CONNECTION_AGE_MS: "30" },
    { LOG_LEVEL: "verbose" },
    { PETS_SUNSET: "2027-13-01" },
    { PETS_SUNSET: "tomorrow" },
    { OTEL_TRACES_SAMPLER_ARG: "1.5" },
    { PORT: "1" },
    { REDIS_URL: "redis://a" },
    { REDIS_ULR: "redis://a" },
    { TLS_CERT: "c" },
  ])("rejects invalid settings, and those that other values set: %j", (environment) => {
    expect(accepts(environment)).toBe(false);
  });
});

describe(".env.example", () => {
  test("is up to date: run npm run generate", () => {
    expect(example).toBe(exampleFile(settingGroups));
  });

  test.each([
    ["as it is", example],
    ["with every setting", example.replace(/^#(?=[A-Z_]+=)/gm, "")],
  ])("is a valid CONFIG_FILE with the defaults, %s", (_, text) => {
    const path = write("example.env", text);
    expect(configFaults({ CONFIG_FILE: path })).toEqual([]);
    expect(JSON.stringify(readConfig({ CONFIG_FILE: path }))).toBe(JSON.stringify(readConfig({})));
  });

  test("has every setting except CONFIG_FILE", () => {
    const names = [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(["CONFIG_FILE", ...names]).toEqual(effectiveSettings({}).map(({ name }) => name));
  });
});
