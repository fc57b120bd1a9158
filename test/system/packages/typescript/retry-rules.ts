/** Checks the retry rules of the installed package against the cases of all clients, whose file is in CASES. */
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Code, InventoryError } from "@inventory-service/client";
// The rules are not public.
import { backoffMs, retryDelayMs } from "./node_modules/@inventory-service/client/dist/retry.js";

const cases = readFileSync(process.env.CASES ?? "", "utf8")
  .trim()
  .split("\n")
  .filter((line) => !line.startsWith("#"));

/** The code of a name such as `PERMISSION_DENIED`. gRPC spells `CANCELLED` with two L. */
function codeOf(name: string): Code {
  const spelled = name.replace("CANCELLED", "CANCELED").replaceAll("_", "").toLowerCase();
  const [, code] = Object.entries(Code).find(([key]) => key.toLowerCase() === spelled) ?? [];
  if (typeof code !== "number") throw new Error(`there is no code ${name}`);
  return code;
}

test("there are cases", () => {
  assert(cases.length > 30);
});

for (const line of cases) {
  test(line, () => {
    const [reason = "", code = "", asks, repeatable, repeated] = line.split("\t");
    const retryAfterMs = asks === "-" ? undefined : asks === "never" ? -1 : Number(asks);
    const error = Object.assign(Object.create(InventoryError.prototype), {
      reason: reason === "-" ? undefined : reason,
      code: codeOf(code),
      metadata: {},
      retryAfterMs,
    });
    const delay = retryDelayMs(error, repeatable === "yes", 0);
    assert.strictEqual(delay !== undefined, repeated === "yes");
    if (delay === undefined) return;
    assert(delay >= (retryAfterMs ?? 0));
    assert(delay <= (retryAfterMs ?? 0) + 250);
  });
}

test("the random time is at most 8 s", () => {
  for (let i = 0; i < 100; i++) assert(backoffMs(20) <= 8_000);
});
