import { readFileSync } from "node:fs";
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { catalogue } from "../../../src/contract/catalogue.ts";

const table = readFileSync(new URL("../../../clients/retry-cases.tsv", import.meta.url), "utf8");
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

test("the retry rules of the clients name only reasons and codes of the service", () => {
  const unknown = cases.filter(([reason = ""]) => !/^(-|OF_A_NEWER_SERVICE)$/.test(reason));
  for (const [reason, code = ""] of unknown) {
    expect(catalogue).toHaveProperty(reason ?? "");
    expect(Reflect.get(catalogue, reason ?? "").code, reason).toBe(codeOf(code));
  }
});
