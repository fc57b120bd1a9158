import { beforeEach, expect, test } from "vitest";
import { HoldState } from "../../../../gen/store/v1/store_pb.ts";
import { minuteMs } from "../../../../src/common/durations.ts";
import { countRequests } from "../support/browser.ts";
import { press, row } from "../support/console.ts";
import { operator, shop, useOperatorView } from "./support.ts";

const view = useOperatorView();

beforeEach(async () => {
  const { catalog, holds } = view.server.stores;
  await catalog.put([{ petId: 8n, quantity: 10, status: 1 }]);
  await holds.put(shop, "cart-1", { items: [{ petId: 7n, quantity: 2 }], ttlMs: minuteMs });
  await holds.put(operator, "cart-2", {
    items: [
      { petId: 7n, quantity: 1 },
      { petId: 8n, quantity: 4 },
    ],
    ttlMs: minuteMs,
  });
});

test("are listed with their accounts, and the units of each pet", async () => {
  const page = await view.open("holds");
  await row(page, "cart-1").getByText("2 of pet 7", { exact: true }).waitFor();
  await row(page, "cart-1").getByRole("link", { name: "Harbor Pets" }).waitFor();
  await row(page, "cart-2").getByText("4 of pet 8", { exact: true }).waitFor();
});

test("are found by account, pet and state", async () => {
  const page = await view.open(`holds/${shop}`);
  await row(page, "cart-1").waitFor();
  await expect.poll(() => row(page, "cart-2").count()).toBe(0);
  await page.getByLabel("Account id").fill("");
  await page.getByLabel("Pet id").fill("8");
  await press(page, "Show");
  await row(page, "cart-2").waitFor();
  await expect.poll(() => row(page, "cart-1").count()).toBe(0);
  await page.getByLabel("State").selectOption("expired");
  await press(page, "Show");
  await page.getByText("There are no such holds.").waitFor();
  const sent = countRequests(page);
  await page.getByLabel("Account id").fill("Harbor Pets");
  await press(page, "Show");
  await page.getByText(/^Account id must be an account id/).waitFor();
  expect(sent()).toBe(0);
});

test("show no error of a list that another filter has replaced", async () => {
  const page = await view.open("holds");
  await row(page, "cart-1").waitFor();
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/ListHolds", async (route) => {
    await promise;
    // Nothing can be done with a request that the page has aborted.
    await route.continue().catch(() => {});
  });
  const aborted = page.waitForEvent("requestfailed");
  for (const petId of ["7", "8"]) {
    await page.getByLabel("Pet id").fill(petId);
    await press(page, "Show");
  }
  await aborted;
  const rendered =
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
  await page.evaluate(rendered);
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  resolve();
  await row(page, "cart-1").waitFor({ state: "detached" });
  await row(page, "cart-2").waitFor();
});

test("can be released, which puts their units back into stock", async () => {
  const page = await view.open("holds");
  await press(page, "Release hold cart-1");
  await page.getByText("This puts 2 units back into stock.").waitFor();
  await press(page, "Release the hold");
  await row(page, "cart-1").waitFor({ state: "detached" });
  const { holds, inventory } = view.server.stores;
  expect((await holds.get(shop, "cart-1"))?.state).toBe(HoldState.RELEASED);
  expect((await inventory.get(7n))?.quantity).toBe(9);
  await page.getByLabel("State").selectOption("released");
  await press(page, "Show");
  await row(page, "cart-1").waitFor();
  await expect.poll(() => row(page, "cart-1").getByRole("button").count()).toBe(0);
});
