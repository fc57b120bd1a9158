import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeListener } from "../../packages/connect-gateway/src/http/exchange/node-listener.ts";
import { handlersOf } from "../../src/web/pages.ts";
import { directoryOfTest } from "../support/directory.ts";
import { listen } from "../support/listen.ts";

/** Serves the pages of a folder with these files. Returns its URL. */
async function serve(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = directoryOfTest();
  mkdirSync(join(folder, "assets"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const handlers = handlersOf(folder);
  const listener = nodeListener((exchange) => {
    const handler = handlers.get(exchange.url ?? "");
    if (handler) return handler(exchange);
    exchange.writeHead(404, {}).end();
  });
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  return listen(server);
}

const built = { "console.html": "<h1>built</h1>", "assets/console-AB12.js": "run()" };

describe("a page", () => {
  test("200: the page may run only scripts of its own server, and cannot be framed", async () => {
    const url = await serve(built);
    const response = await fetch(`${url}/`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("<h1>built</h1>");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test("304: the client must ask each time, and has the current version", async () => {
    const url = await serve(built);
    const first = await fetch(`${url}/`);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(`${url}/`, { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
  });

  test("200: says how to build the pages when they are not built", async () => {
    const url = await serve({});
    const response = await fetch(`${url}/`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("npm run build");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});

describe("an asset", () => {
  test("200: caches never ask for it again, because its name has a hash", async () => {
    const url = await serve(built);
    const response = await fetch(`${url}/assets/console-AB12.js`);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(await response.text()).toBe("run()");
  });

  test("is refused at start if its media type is not known", async () => {
    await expect(serve({ ...built, "assets/a.exe": "" })).rejects.toThrow(/media type/);
  });
});
