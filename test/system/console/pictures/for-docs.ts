/** Takes the pictures of the console that the docs show: `npm run task pictures`. */
import { join } from "node:path";
import { startChromium } from "../../harness/chromium.ts";
import { startDemo } from "./demo.ts";

const docs = join(import.meta.dirname, "../../../../docs/caller");

/** Each is below 60 kB. The one of the operator view comes first, while the banned key of the demo is still banned. */
const pictures = [
  { name: "console-operator", hash: "#/operator/top", colorScheme: "light", top: 166, bottom: 496 },
  { name: "console-usage", hash: "#/usage", colorScheme: "dark", top: 0, bottom: 540 },
  { name: "console-stock", hash: "#/stock", colorScheme: "light", top: 0, bottom: 490 },
] as const;

const width = 1_080;

const demo = await startDemo();
const browser = await startChromium();
try {
  for (const { name, hash, colorScheme, top, bottom } of pictures) {
    const page = await browser.newPage({ viewport: { width, height: bottom }, colorScheme });
    await page.addInitScript(`sessionStorage.setItem("inventory.api-key", "${demo.key}")`);
    await page.goto(`${demo.url}/${hash}`);
    await page.locator("main h1").first().waitFor();
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
    // Until the plots are painted. A picture may take this long.
    await page.waitForTimeout(700);
    await page.screenshot({
      path: join(docs, `${name}.png`),
      clip: { x: 0, y: top, width, height: bottom - top },
    });
    await page.close();
  }
} finally {
  await browser.close();
  await demo.stop();
}
