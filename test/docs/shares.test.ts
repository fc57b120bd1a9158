import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { poolNames } from "../../src/call/shared-pool.ts";
import { settings } from "../../src/config/settings.ts";

const security = readFileSync(join(import.meta.dirname, "../../SECURITY.md"), "utf8");
const section = /^## Shares$(.*?)^## /ms.exec(security)?.[1] ?? "";
const [firstTable = ""] = /^\| Pool .*?\n\n/ms.exec(section) ?? [];
const rows = firstTable.trim().split("\n").slice(2);

describe("the shares in SECURITY.md", () => {
  it("have a row for each pool of the code, in the same order", () => {
    const titles = rows.map((row) => row.split("|")[1]?.trim().toLowerCase() ?? "");
    expect(titles).toHaveLength(poolNames.length);
    for (const [index, name] of poolNames.entries()) expect(titles[index]).toMatch(`${name}`);
  });

  it("have the defaults of the settings", () => {
    const named = [...firstTable.matchAll(/`([A-Z_]+)`: ([\d,]+)/g)];
    expect(named.length).toBeGreaterThan(rows.length);
    for (const [, name = "", number = ""] of named) {
      const setting: { default?: string | undefined } | undefined = Object.entries(settings).find(
        ([each]) => each === name,
      )?.[1];
      expect([name, setting?.default]).toEqual([name, number.replaceAll(",", "")]);
    }
  });
});
