import type { Page } from "playwright-core";

/** Pictures are for people, so a view may take this long to show its data, in milliseconds. */
const settleMs = 700;

/** Waits until a view has its data and its plots are painted. */
export async function isComplete(page: Page): Promise<void> {
  await page.waitForFunction(
    "document.querySelector('main h1') && !document.querySelector('main')?.innerText.includes('Loading…')",
  );
  await page.waitForTimeout(settleMs);
}
