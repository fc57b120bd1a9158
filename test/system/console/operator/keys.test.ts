import { expect, test } from "vitest";
import { press, row } from "../support/console.ts";
import { shop, useOperatorView } from "./support.ts";

const view = useOperatorView();

test("shows a new key once, and the key works", async () => {
  const page = await view.open(`accounts/${shop}`);
  await press(page, "New key");
  await page.getByLabel("Name").fill("till 2");
  const addresses = page.getByLabel("Allowed addresses");
  await addresses.fill("127.0.0.0/8, 300.1.1.1");
  await press(page, "Create key");
  await page.getByText("Allowed addresses must be an address or a network").waitFor();
  await expect.poll(() => addresses.getAttribute("aria-invalid")).toBe("true");
  await addresses.fill("127.0.0.0/8, ::1");
  await press(page, "Create key");
  const secret = (await page.locator(".secret code").textContent()) ?? "";
  expect(await view.statusWith(secret)).toBe(200);
  // Escape warns once before the key is lost.
  await page.keyboard.press("Escape");
  await page.getByText("The key is lost when this dialog closes.").waitFor();
  await press(page, "I have stored the key");
  await row(page, "till 2").getByText("127.0.0.0/8", { exact: true }).waitFor();
  expect(await page.content()).not.toContain(secret);
});

test("needs at least one scope and a last day that is not over", async () => {
  const page = await view.open(`accounts/${shop}`);
  await press(page, "New key");
  await page.getByLabel("Last day").fill("2020-01-31");
  await press(page, "Create key");
  await page.getByText("Last day must be today or later.").waitFor();
  for (const scope of ["inventory:read", "inventory:write", "store:read", "store:write"]) {
    await page.getByLabel(scope).uncheck();
  }
  await press(page, "Create key");
  await page.getByText("Scopes must have at least one scope.").waitFor();
  expect(await view.server.stores.accounts.listKeys(shop)).toHaveLength(1);
});

test("says so when it is unknown whether one was created, and shows it in the list", async () => {
  const page = await view.open(`accounts/${shop}`);
  await page.route("**/CreateKey", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await press(page, "New key");
  await page.getByLabel("Name").fill("till 2");
  await press(page, "Create key");
  await page.getByText(/^It is unknown whether the key was created\./).waitFor();
  await page.getByRole("table").getByText("till 2").waitFor();
  expect(await view.server.stores.accounts.listKeys(shop)).toHaveLength(2);
});

test("rotates one, and the old one is revoked at once with a grace of 0", async () => {
  const page = await view.open(`accounts/${shop}`);
  await press(page, "Rotate key till 1");
  await page.getByLabel("Hours that the old key stays valid").fill("0");
  await press(page, "Rotate key");
  await press(page, "Rotate key anyway");
  await page.getByText("The old key is no longer valid.").waitFor();
  const secret = (await page.locator(".secret code").textContent()) ?? "";
  expect(await view.statusWith(view.shopSecret())).toBe(401);
  expect(await view.statusWith(secret)).toBe(200);
});

test("revokes one from the list of all keys", async () => {
  const page = await view.open("keys");
  await press(page, "Revoke key till 1");
  await press(page, "Revoke key");
  await row(page, "till 1").getByText("revoked").waitFor();
  const [key] = (await view.server.stores.accounts.listKeys(shop)) ?? [];
  expect(key?.revokedAt).toBeDefined();
});

test("says so when only a part of the last day was typed", async () => {
  const page = await view.open(`accounts/${shop}`);
  await press(page, "New key");
  // The dialog takes the focus after it is shown. A key pressed before then would go to its first field.
  await page.locator("dialog :focus").waitFor();
  await page.getByLabel("Last day").press("1");
  await press(page, "Create key");
  await page.getByText("Last day is incomplete.").waitFor();
  expect(await view.server.stores.accounts.listKeys(shop)).toHaveLength(1);
});

test("stands next to the name and the id of its account in the list of all keys", async () => {
  const page = await view.open("keys");
  await row(page, "till 1").getByRole("link", { name: "Harbor Pets" }).waitFor();
  await row(page, "till 1").getByText(shop, { exact: true }).waitFor();
});
