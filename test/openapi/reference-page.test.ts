import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitFieldsOf, useContract } from "../contract/support.ts";
import { startChromium } from "../support/chromium.ts";
import { storeKinds } from "../support/stores.ts";

/** Maximum time to install the browser, in milliseconds. */
const installTimeout = 300_000;

const assets = [
  "/docs",
  "/docs/",
  "/docs/page.css",
  "/docs/page.js",
  "/docs/swagger-ui.css",
  "/docs/swagger-ui-bundle.js",
];

// The page does not depend on the store, so one kind is enough.
describe.each(storeKinds.slice(0, 1))("the reference page, in $name", (kind) => {
  const contract = useContract(kind);

  describe("its files", () => {
    it.each(assets)("%s: 200 without a key and without a limit", async (path) => {
      const reply = await contract.send(`GET ${path}`, { authorization: null });
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        "cache-control": "no-cache",
        "content-type": expect.stringMatching(/^text\/(html|css|javascript); charset=utf-8$/),
        "x-content-type-options": "nosniff",
      });
      expect(limitFieldsOf(reply)).toEqual({});
    });

    it.each(assets)(
      "%s: 304 when the client has the current version, compressed or not",
      async (path) => {
        for (const coding of ["identity", "br", "zstd", "gzip"]) {
          const headers = { "accept-encoding": coding };
          const first = await contract.send(`GET ${path}`, { authorization: null, headers });
          const again = await contract.send(`GET ${path}`, {
            authorization: null,
            headers: { ...headers, "if-none-match": first.headers.etag },
          });
          expect(again).toMatchObject({ status: 304, body: "" });
        }
      },
    );

    it("Swagger UI is sent compressed", async () => {
      const { headers } = await contract.send("HEAD /docs/swagger-ui-bundle.js", {
        authorization: null,
        headers: { "accept-encoding": "gzip, br, zstd" },
      });
      expect(headers["content-encoding"]).toBe("zstd");
      expect(Number(headers["content-length"])).toBeLessThan(600_000);
    });
  });

  describe("in a browser", () => {
    let browser: Browser;
    let page: Page;
    const elsewhere: string[] = [];
    const complaints: string[] = [];

    beforeAll(async () => {
      browser = await startChromium();
    }, installTimeout);
    afterAll(() => browser?.close());

    async function open(): Promise<void> {
      page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
      page.setDefaultTimeout(10_000);
      page.on("request", (request) => {
        const { protocol, origin } = new URL(request.url());
        if (protocol !== "data:" && origin !== contract.server.url) elsewhere.push(request.url());
      });
      page.on("console", (message) => {
        if (message.type() !== "log") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(`${contract.server.url}/docs`);
    }

    const operation = (id: string) => page.locator(`.opblock[id$="-${id}"]`);

    async function pasteKey(): Promise<void> {
      await page.getByRole("button", { name: "Authorize" }).click();
      await page.locator(".auth-container input").fill(contract.own.secret);
      await page.locator(".auth-btn-wrapper .authorize").click();
      await page.locator(".auth-btn-wrapper .btn-done").click();
    }

    /** Tries a call. Returns the response on the page. */
    async function tryCall(id: string, inputs: readonly string[]) {
      const block = operation(id);
      await block.locator(".opblock-summary-control").click();
      const [petId, body] = inputs;
      if (petId) await block.locator("tr[data-param-name=petId] input").fill(petId);
      if (body) await block.locator("textarea").fill(body);
      await block.getByRole("button", { name: "Execute" }).click();
      const response = block.locator(".live-responses-table .response");
      return {
        status: await response.locator(".response-col_status").textContent(),
        body: (await response.locator("pre").first().textContent()) ?? "",
      };
    }

    it("shows the operations, sends calls with a pasted key, and connects to no other server", async () => {
      await open();
      for (const id of [
        "listInventory",
        "updateInventory",
        "adjustInventory",
        "getPet",
        "listOrders",
      ]) {
        await operation(id).waitFor({ state: "visible" });
      }
      await pasteKey();

      const list = await tryCall("listInventory", []);
      expect(list.status).toBe("200");
      expect(list.body).toContain('"petId": 9007199254740993,\n');

      const body = '{"quantity": 4}';
      const update = await tryCall("updateInventory", ["9007199254740993", body]);
      expect(update.status).toBe("200");
      expect(JSON.parse(update.body)).toMatchObject({ quantity: 4, status: "pending" });
      expect(update.body).toContain('"petId": 9007199254740993,\n');
      const item = await contract.server.stores.inventory.get(9_007_199_254_740_993n);
      expect(item?.quantity).toBe(4);

      expect(elsewhere).toEqual([]);
      expect(complaints).toEqual([]);
    }, 60_000);
  });
});
