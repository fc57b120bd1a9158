import type { Page } from "playwright-core";

/** Pictures are for people, so a view may take this long to show its data, in milliseconds. */
const settleMs = 700;

/** Waits until a view has its data and its plots are painted. */
export async function isComplete(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  await page.waitForTimeout(settleMs);
}
