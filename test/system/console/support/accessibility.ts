import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const script = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Returns what violates WCAG 2.2, levels A and AA, on a page: the rule and the elements. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's Content-Security-Policy does not restrict.
  await page.evaluate(script);
  const found = await page.evaluate(`axe.run({
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.html).join(" ")))`);
  return found as string[];
}
