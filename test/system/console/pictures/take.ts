/**
 * Takes pictures of every view of the console: light and dark, on a desktop and on a phone. Run `npm run task look`,
 * then look at `reports/console`, which git ignores.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startChromium } from "../../harness/chromium.ts";
import { startDemo } from "./demo.ts";
import { isComplete } from "./is-complete.ts";

const folder = join(import.meta.dirname, "../../../reports/console");

const screens = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

const views: Readonly<Record<string, string>> = {
  stock: "#/stock",
  pet: "#/stock/4",
  "own-orders": "#/orders",
  "own-holds": "#/orders/holds",
  usage: "#/usage",
  accounts: "#/operator/accounts",
  account: "#/operator/accounts/petsh0peast2",
  keys: "#/operator/keys",
  bans: "#/operator/bans",
  orders: "#/operator/orders",
  holds: "#/operator/holds",
  limited: "#/operator/limited",
  top: "#/operator/top",
  audit: "#/operator/audit",
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const wanted = process.argv.slice(2);
const demo = await startDemo();
const browser = await startChromium();
try {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [screen, viewport] of Object.entries(screens)) {
      const context = await browser.newContext({ viewport, colorScheme });
      await context.addInitScript(`sessionStorage.setItem("inventory.api-key", "${demo.key}")`);
      for (const [name, hash] of Object.entries(views)) {
        if (wanted.length > 0 && !wanted.includes(name)) continue;
        const page = await context.newPage();
        page.on("pageerror", (error) => console.error(error));
        await page.goto(`${demo.url}/${hash}`);
        await isComplete(page);
        await page.screenshot({
          path: join(folder, `${name}-${screen}-${colorScheme}.png`),
          fullPage: true,
        });
        await page.close();
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await demo.stop();
}
