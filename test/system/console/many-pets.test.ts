import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { itemsFrom } from "../../support/stock.ts";
import { useConsole } from "./support/console.ts";

const count = 100_000;
const items = itemsFrom(1n, count, (at) => at % 100).map((item) => ({
  ...item,
  name: `Goldfish ${item.petId}`,
  sku: `FI-${item.petId}`,
}));

const { server, open: openView } = useConsole({ pets: items });

async function open(hash = "#/stock"): Promise<Page> {
  const page = await openView(hash, { viewport: { width: 800, height: 600 } });
  await page.getByText(/^Loading the stock: [\d,]+ pets…$/).waitFor();
  // The snapshot takes 3 s on an idle machine. The test measures the frames after it.
  await page.getByText("100,000 pets", { exact: true }).waitFor({ timeout: 60_000 });
  return page;
}

/** Scrolls through the whole list, frame by frame. Returns the most rows that the document had in a frame. */
const scrollThrough = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector(".rows");
    const step = list.scrollHeight / 25;
    let most = 0;
    const frame = () => {
      most = Math.max(most, list.querySelectorAll("tr").length);
      list.scrollTop += step;
      if (list.scrollTop + list.clientHeight < list.scrollHeight - 1) requestAnimationFrame(frame);
      else resolve(most);
    };
    requestAnimationFrame(frame);
  })`) as Promise<number>;

/** Scrolls through the list while changes arrive. Returns the most rows that the document had in a frame. */
async function scrollWhileChanging(page: Page): Promise<number> {
  const changing = { on: true };
  const changes = (async () => {
    for (let n = 0; changing.on; n++) {
      await server.stores.inventory.change({ petId: BigInt((n % count) + 1), quantity: 1_000 + n });
      if (n % 10 === 0) await new Promise(setImmediate);
    }
  })();
  const most = await scrollThrough(page);
  changing.on = false;
  await changes;
  return most;
}

const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

test("are in the list, of which the document has only the visible part, and are found at once", async () => {
  const page = await open();
  await expect.poll(() => page.getByRole("table").getAttribute("aria-rowcount")).toBe("100001");
  expect(await scrollThrough(page)).toBeLessThan(60);
  await link(page, "Goldfish 100000").waitFor();

  for (const search of ["99999", "FI-99999", "goldfish 99999"]) {
    await page.getByLabel("Find a pet").fill(search);
    await page.getByText("1 of 100,000 pets", { exact: true }).waitFor();
  }
  await page.getByLabel("Find a pet").fill("");
  await page.getByLabel("Quantity at most").fill("0");
  await page.getByText("1,000 of 100,000 pets", { exact: true }).waitFor();
});

test("have few rows in the document while changes arrive, and show the last one, sorted by id or by quantity", async () => {
  const page = await open();
  expect(await scrollWhileChanging(page)).toBeLessThan(60);
  await server.stores.inventory.change({ petId: 100_000n, quantity: 7_654_321 });
  await page.getByRole("row").filter({ hasText: "7,654,321" }).waitFor();

  await page.goto(`${server.url}/#/stock?sort=-quantity`);
  await link(page, "Goldfish 100000").waitFor();
  expect(await scrollWhileChanging(page)).toBeLessThan(60);
  await server.stores.inventory.change({ petId: 1n, quantity: 7_654_322 });
  await page.evaluate("document.querySelector('.rows').scrollTop = 0");
  await page.getByRole("row").filter({ hasText: "7,654,322" }).waitFor();
});
