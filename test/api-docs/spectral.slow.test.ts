import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import type * as SpectralCore from "@stoplight/spectral-core";
import type * as SpectralRulesets from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";

const text = readFileSync(join(import.meta.dirname, "../../gen/openapi.json"), "utf8");

test("the document is valid by the schema of OpenAPI 3.1", async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("the OpenAPI rules of Spectral find nothing in the document", async () => {
  // Both packages are CommonJS, and Node does not detect the names of their exports.
  const require = createRequire(import.meta.url);
  const { Spectral }: typeof SpectralCore = require("@stoplight/spectral-core");
  const { oas }: typeof SpectralRulesets = require("@stoplight/spectral-rulesets");
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas as SpectralCore.RulesetDefinition] });
  // OpenAPI 3.1 allows role names for all security schemes. Spectral rejects them, as OpenAPI 3.0 did
  // (https://spec.openapis.org/oas/v3.1.1.html#security-requirement-object).
  const found = (await spectral.run(text)).filter(
    ({ message }) => !message.endsWith('" must be listed among scopes.'),
  );
  expect(found.map(({ code, message, path }) => `${code} ${path.join(".")}: ${message}`)).toEqual(
    [],
  );
});
