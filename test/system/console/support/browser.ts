import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterEach, beforeAll, expect } from "vitest";
import { startChromium } from "../../harness/chromium.ts";

export const screens = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

/** How long a page may take to show something, in ms, on a busy machine that renders without a GPU. */
const timeoutMs = 20_000;

/** What differs between the pages that a test opens. */
export interface PageOptions
  extends Pick<BrowserContextOptions, "colorScheme" | "timezoneId" | "viewport"> {
  /** The API key that the tab has already. */
  readonly key?: string;
  /** The route, such as `#/stock`. */
  readonly hash?: string;
}

export interface TestBrowser {
  /** Opens a page of a server in a new window, whose storage is empty. */
  open(url: string, options?: PageOptions): Promise<Page>;
}

/** The browser of this worker. Its files share it, because each start takes as long as several tests. */
let starting: Promise<Browser> | undefined;

/**
 * Starts Chromium, unless an earlier file of this worker did. It ends with the worker. Checks after each test that the
 * pages have called no other server, and that the console of the browser shows no error.
 *
 * @param expectedErrors messages of the browser that tests cause, such as for a refused request
 */
export function useBrowser(expectedErrors = /Failed to load resource/): TestBrowser {
  const under: { browser?: Browser } = {};
  const contexts: BrowserContext[] = [];
  const otherRequests: string[] = [];
  const errors: string[] = [];

  beforeAll(async () => {
    starting ??= startChromium();
    under.browser = await starting;
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    expect(otherRequests.splice(0), "requests to other servers").toEqual([]);
    expect(errors.splice(0), "errors of the browser").toEqual([]);
  });

  return {
    async open(url, { key, hash = "", ...options } = {}) {
      if (!under.browser) throw new Error("the browser exists only while tests run");
      const context = await under.browser.newContext({ viewport: screens.desktop, ...options });
      contexts.push(context);
      context.setDefaultTimeout(timeoutMs);
      if (key !== undefined) {
        await context.addInitScript(`sessionStorage.setItem("inventory.api-key", "${key}")`);
      }
      const page = await context.newPage();
      const { origin } = new URL(url);
      page.on("request", (request) => {
        const target = new URL(request.url());
        if (target.protocol !== "data:" && target.origin !== origin)
          otherRequests.push(target.href);
      });
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !expectedErrors.test(message.text())) {
          errors.push(message.text());
        }
      });
      await page.goto(`${url}/${hash}`);
      return page;
    },
  };
}

/**
 * Counts the requests that a page sends from now on. The server records a request a moment after the page has its
 * response.
 */
export function countRequests(page: Page): () => number {
  let count = 0;
  page.on("request", () => {
    count += 1;
  });
  return () => count;
}
