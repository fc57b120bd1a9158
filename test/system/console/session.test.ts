import { expect, test } from "vitest";
import { addKey } from "../../support/accounts.ts";
import { account, useConsole } from "./support/console.ts";

// Watches check their keys at each heartbeat.
const { server, browser, own, open } = useConsole({
  plan: "free",
  environment: { WATCH_HEARTBEAT_MS: "1000" },
});

test("begins with a pasted key, survives a reload, and never puts the key into a URL", async () => {
  const page = await browser.open(server.url);
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  await page.getByLabel("API key").fill(` Authorization: Bearer ${own.key}\n`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("Live", { exact: true }).waitFor();
  expect([page.url(), ...urls].filter((url) => url.includes(own.key))).toEqual([]);
  expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(own.key);
});

test("works while the browser blocks the data of sites", async () => {
  const page = await browser.open(server.url);
  await page.addInitScript(`for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, {
      get() { throw new DOMException("Access is denied for this document.", "SecurityError"); },
    });
  }`);
  await page.reload();
  await page.getByLabel("API key").fill(own.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Theme: system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
});

test("names a wrong key before it is sent, and shows the server's error of an unknown one", async () => {
  const page = await browser.open(server.url);
  const input = page.getByLabel("API key");
  const submit = page.getByRole("button", { name: "Sign in" });
  for (const [text, fault] of [
    ["", "Paste an API key."],
    [own.keyId, "That is the id of a key or account."],
    ["secret", "An API key begins with inv_."],
    [own.key.slice(0, -1), "An API key has 49 characters; this text has 48."],
  ] as const) {
    await input.fill(text);
    await submit.click();
    await page.getByText(fault).waitFor();
  }
  const asked = server.records.filter(({ operation }) => operation.route.includes("GetUsage"));
  expect(asked).toEqual([]);

  await input.fill(`inv_${"0".repeat(45)}`);
  await submit.click();
  const alert = page.getByRole("alert");
  await alert.filter({ hasText: "KEY_INVALID" }).waitFor();
  await alert.filter({ hasText: /request [0-9a-f]{32}/ }).waitFor();
});

test("asks for the scopes of the key until the server responds", async () => {
  const page = await open();
  await page.getByText("Live", { exact: true }).waitFor();
  let calls = 0;
  await page.route("**/GetUsage", (route) => {
    calls += 1;
    return calls === 1 ? route.abort() : route.continue();
  });
  await page.reload();
  await page.getByRole("link", { name: "Operator" }).waitFor();
  await page.getByRole("link", { name: "Operator" }).waitFor({ state: "detached" });
  await page.getByText("test", { exact: true }).waitFor();
});

test("does not call a connection lost that the server refuses for some time", async () => {
  for (let sent = 0; sent < 121; sent += 1) {
    const headers = { authorization: `Bearer ${own.key}` };
    await (await fetch(`${server.url}/v1/inventory`, { headers })).body?.cancel();
  }
  const page = await open();
  await page.getByRole("alert").filter({ hasText: "KEY_BANNED" }).waitFor();
  await page.getByText("Not connected", { exact: true }).waitFor();
  await page.getByText(/^Next attempt in \d+ s$/).waitFor();
});

test("ends when the key is revoked, and says why", async () => {
  const page = await open();
  await page.getByText("Live", { exact: true }).waitFor();
  await server.stores.accounts.revokeKey(own.keyId);
  await page.getByRole("alert").filter({ hasText: "KEY_REVOKED" }).waitFor();
  await page.getByLabel("API key").waitFor();
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
});

test("ends when the user signs out", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
});

test("shows the whole stock to the next key on the same page", async () => {
  await server.stores.catalog.create({ petId: 4711n, quantity: 3, status: 1 });
  const page = await open();
  const pet = page.getByText("4711", { exact: true }).first();
  await pet.waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").fill((await addKey(server.stores, account)).secret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  await pet.waitFor();
  await expect.poll(() => pet.isVisible()).toBe(true);
});

test("of the next key does not end with a late error of the last one", async () => {
  await server.stores.catalog.create({ petId: 4711n, quantity: 3, status: 1 });
  const page = await open();
  const held = Promise.withResolvers<void>();
  await page.route("**/UpdateInventory", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Change the quantity of pet 4711" }).click();
  await page.getByLabel("New quantity").fill("4");
  const late = page.waitForResponse("**/UpdateInventory");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  const next = await addKey(server.stores, account);
  await page.getByLabel("API key").fill(next.secret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  await server.stores.accounts.revokeKey(own.keyId);
  held.resolve();
  expect((await late).status()).toBe(401);
  await page.getByRole("link", { name: "My usage" }).click();
  await page.getByText("Requests per minute", { exact: true }).waitFor();
  expect(await page.evaluate("sessionStorage.length")).toBe(1);
});

test("shows all views to a key with only the scope admin", async () => {
  const key = await addKey(server.stores, account, { scopes: ["admin"] });
  const page = await browser.open(server.url, { key: key.secret });
  await page.getByText("Live", { exact: true }).waitFor();
  const views = page.getByRole("navigation", { name: "Views" });
  for (const [name, content] of [
    ["Orders", "The account has no orders."],
    ["My usage", "Requests per minute"],
    ["Operator", "New account"],
    ["Stock", "Live"],
  ] as const) {
    await views.getByRole("link", { name, exact: true }).click();
    await page.getByText(content, { exact: true }).waitFor();
    await expect.poll(() => page.getByText(/needs? the scope/).count(), { message: name }).toBe(0);
    await expect.poll(() => page.getByRole("alert").count(), { message: name }).toBe(0);
  }
  for (const name of ["Add a pet", "Import a file"]) {
    await page.getByRole("button", { name, exact: true }).waitFor();
  }
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
});

test("changes the theme, and keeps it", async () => {
  const page = await browser.open(server.url, { colorScheme: "light" });
  const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await background();
  await page.getByRole("button", { name: "Theme: system" }).click();
  expect(await background()).toBe(light);
  await page.getByRole("button", { name: "Theme: light" }).click();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  expect(await background()).toBe(dark);
});
