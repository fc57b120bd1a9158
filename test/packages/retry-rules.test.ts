import { readFileSync } from "node:fs";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { InventoryError } from "../../clients/typescript/src/errors.ts";
import { backoffMs, retryDelayMs } from "../../clients/typescript/src/retry.ts";
import { catalogue } from "../../src/contract/errors.ts";

const table = readFileSync(new URL("../../clients/retry-cases.tsv", import.meta.url), "utf8");
const cases = table
  .trim()
  .split("\n")
  .filter((line) => !line.startsWith("#"))
  .map((line) => line.split("\t"));

/** The code of a name such as `PERMISSION_DENIED`. gRPC spells `CANCELLED` with two L. */
function codeOf(name: string): Code {
  const spelled = name.replace("CANCELLED", "CANCELED").replaceAll("_", "").toLowerCase();
  const [, code] = Object.entries(Code).find(([key]) => key.toLowerCase() === spelled) ?? [];
  if (typeof code !== "number") throw new Error(`there is no code ${name}`);
  return code;
}

describe("the TypeScript client repeats calls by the rules of all clients", () => {
  test.each(cases)("%s %s, service asks for %s, repeatable: %s, repeated: %s", (...columns) => {
    const [reason, code = "", asks, repeatable, repeated] = columns;
    const retryAfterMs = asks === "-" ? undefined : asks === "never" ? -1 : Number(asks);
    const error = {
      reason: reason === "-" ? undefined : reason,
      code: codeOf(code),
      retryAfterMs,
    } as InventoryError;
    const delay = retryDelayMs(error, repeatable === "yes", 0);
    expect(delay !== undefined).toBe(repeated === "yes");
    if (delay === undefined) return;
    expect(delay).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
    expect(delay).toBeLessThanOrEqual((retryAfterMs ?? 0) + 250);
  });
});

test("the random time is at most 8 s", () => {
  for (let i = 0; i < 100; i++) expect(backoffMs(20)).toBeLessThanOrEqual(8_000);
});

test("the rules name only reasons and codes of the service", () => {
  const unknown = cases.filter(([reason = ""]) => !/^(-|OF_A_NEWER_SERVICE)$/.test(reason));
  for (const [reason, code = ""] of unknown) {
    expect(catalogue).toHaveProperty(reason ?? "");
    expect(Reflect.get(catalogue, reason ?? "")[0], reason).toBe(codeOf(code));
  }
});
