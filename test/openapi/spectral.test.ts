import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import type * as SpectralCore from "@stoplight/spectral-core";
import type * as SpectralRulesets from "@stoplight/spectral-rulesets";
import { expect, it } from "vitest";

const text = readFileSync(join(import.meta.dirname, "../../gen/openapi.json"), "utf8");

it("the document is one by the schema of OpenAPI 3.1", async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

it("Spectral has nothing to say of the document, by its rules for OpenAPI", async () => {
  // Both packages are CommonJS whose exports Node does not find by name.
  const require = createRequire(import.meta.url);
  const { Spectral }: typeof SpectralCore = require("@stoplight/spectral-core");
  const { oas }: typeof SpectralRulesets = require("@stoplight/spectral-rulesets");
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas as SpectralCore.RulesetDefinition] });
  // OpenAPI 3.1 has role names in the requirements of any scheme; Spectral still refuses what 3.0 did
  // (https://spec.openapis.org/oas/v3.1.1.html#security-requirement-object).
  const found = (await spectral.run(text)).filter(
    ({ message }) => !message.endsWith('" must be listed among scopes.'),
  );
  expect(found.map(({ code, message, path }) => `${code} ${path.join(".")}: ${message}`)).toEqual(
    [],
  );
});
