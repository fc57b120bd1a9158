import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { useBrowser } from "./support/browser.ts";

const count = 10_000;
const items = Array.from({ length: count }, (_, n) => ({
  petId: BigInt(n + 1),
  quantity: n % 100,
  status: PetStatus.AVAILABLE,
}));

describe.each(storeKinds.slice(0, 1))("10,000 pets, in $name", (kind) => {
  const server = useServer(kind);
  const browser = useBrowser();
  const own = { key: "" };

  beforeEach(async () => {
    for (let first = 0; first < count; first += 1_000) {
      await server.stores.inventory.put(items.slice(first, first + 1_000));
    }
    await addAccount(server.stores, { plan: "pro" });
    own.key = (await addKey(server.stores, "aaaaaaaaaaaa")).secret;
  });

  /** Scrolls through the whole list, frame by frame. Returns the longest frame in milliseconds. */
  const scrollThrough = (page: Page) =>
    page.evaluate(`new Promise((resolve) => {
      const list = document.querySelector(".rows");
      const step = list.scrollHeight / 25;
      let last = performance.now();
      let longest = 0;
      const frame = (now) => {
        longest = Math.max(longest, now - last);
        last = now;
        list.scrollTop += step;
        if (list.scrollTop + list.clientHeight < list.scrollHeight - 1) requestAnimationFrame(frame);
        else resolve(longest);
      };
      requestAnimationFrame(frame);
    })`) as Promise<number>;

  it("are in the list, of which the document has only the visible part", async () => {
    const page = await browser.open(server.url, {
      key: own.key,
      viewport: { width: 800, height: 600 },
    });
    await page.getByText("10,000 pets", { exact: true }).waitFor();
    expect(await page.getByRole("table").getAttribute("aria-rowcount")).toBe("10001");
    expect(await page.getByRole("row").count()).toBeLessThan(60);
    await scrollThrough(page);
    await page.getByRole("link", { name: "10000", exact: true }).waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(60);
  });

  it("scroll without a long frame while changes arrive", async () => {
    const page = await browser.open(server.url, {
      key: own.key,
      viewport: { width: 800, height: 600 },
    });
    await page.getByText("10,000 pets", { exact: true }).waitFor();
    const changing = { on: true };
    const changes = (async () => {
      for (let n = 0; changing.on; n++) {
        await server.stores.inventory.setQuantity(BigInt((n % count) + 1), 1_000 + n);
        if (n % 10 === 0) await new Promise(setImmediate);
      }
    })();
    const longest = await scrollThrough(page);
    changing.on = false;
    await changes;
    // A frame of a smooth list takes 17 ms. A list that renders all rows takes seconds on this page.
    expect(longest).toBeLessThan(1_000);
    await server.stores.inventory.setQuantity(10_000n, 7_654_321);
    await page.getByRole("row").filter({ hasText: "7,654,321" }).waitFor();
  });

  it("are filtered at once", async () => {
    const page = await browser.open(server.url, {
      key: own.key,
      viewport: { width: 800, height: 600 },
    });
    await page.getByText("10,000 pets", { exact: true }).waitFor();
    await page.getByLabel("Find a pet").fill("9999");
    await page.getByText("1 of 10,000 pets").waitFor();
    await page.getByLabel("Find a pet").fill("");
    await page.getByLabel("Quantity at most").fill("0");
    await page.getByText("100 of 10,000 pets").waitFor();
  });
});
