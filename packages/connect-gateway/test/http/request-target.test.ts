import { describe, expect, test } from "vitest";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import { normalizeTarget } from "../../src/http/request-target.ts";

/** Normalizes the target of a request. @returns the target as it is then; undefined for one that is not valid */
function normalized(url: string, parts: Partial<Exchange> = {}): string | undefined {
  const request = { httpVersion: "1.1", method: "GET", headers: {}, rawHeaders: [], ...parts, url };
  const target = normalizeTarget(request as unknown as Exchange);
  if (typeof target === "string") return undefined;
  const { path, query } = target;
  expect(query === "" ? path : `${path}?${query}`).toBe(request.url);
  return request.url;
}

/** What no host of a URI has, and user information, which no host may have here. */
const neverHosts = [
  ...["", "a b", "a/b", "a?b", "a#b", "user@host", "user:password@host", "%", "%zz", "\x80"],
  ...["a\\b", "a|b", "<host>", "a".repeat(301)],
];

/** Other invalid values of a Host header, which the HTTP parsers accept. */
const badHosts = [
  ...["[", "]", "[::1", "[::g]", "[]", "[::1]a", "[::1]:port", "[v1]", "[1.2.3.4]", "::1", ":80"],
  ...["a,b/", "host:port", "host:1:2"],
];

const goodHosts = [
  ...["test", "test:", "test:80", "EXAMPLE.com.", "my_host", "127.0.0.1:8080", "[::1]"],
  ...["[::1]:8080", "[::ffff:1.2.3.4]:80", "[v1.a:b]", "a%2Db.example", "%C3%A4.example"],
  // These look like IPv4 addresses to WHATWG's URLs, which refuse them.
  ...["inventory-1.0", "inventory.7", "inventory.7:8080", "256.256.256.256", "1.2.3.4.5", "0x"],
  ...["inventory_backend", "xn--a", "a!$&'()*+,;=b", "host:99999", "host:123456", "a".repeat(300)],
];

/** Values of `:authority` that gRPC's name resolvers send in addition. */
const resolved = [
  ...["127.0.0.1:1,127.0.0.1:2", "[::1]:1,[::1]:2", "%2Frun%2Finventory.sock"],
  ...["unix:%2Frun%2Finventory.sock", "inventory:grpc:0"],
  "%23initially=[127.0.0.1:2379;127.0.0.1:22379]",
];

describe("over HTTP/1.1", () => {
  test.each(["//", "///a", "/:::", "//a?b"])("the target %s is a path", (target) => {
    expect(normalized(target)).toBe(target);
  });

  test.each(goodHosts)("the host can be %j", (host) => {
    expect(normalized("/a?b", { headers: { host } })).toBe("/a?b");
    expect(normalized(`http://${host}/a?b`)).toBe("/a?b");
  });

  test.each([...neverHosts, ...badHosts])("the host cannot be %j", (host) => {
    expect(normalized("/a?b", { headers: { host } })).toBeUndefined();
    // In a URL, such a host would end at the "/" or "?", which begins the path or the query.
    if (!/^[^/?]+[/?]/.test(host)) expect(normalized(`http://${host}/a?b`)).toBeUndefined();
  });
});

describe("over HTTP/2", () => {
  const over = (headers: Exchange["headers"]) => normalized("/", { httpVersion: "2.0", headers });

  test.each([...goodHosts, ...resolved])(":authority can be %j", (host) => {
    expect(over({ ":authority": host })).toBe("/");
  });

  test.each([...neverHosts, "unix:/run/inventory.sock"])(":authority cannot be %j", (host) => {
    expect(over({ ":authority": host })).toBeUndefined();
    expect(over({ ":authority": "test", host })).toBeUndefined();
  });
});

describe("a target in absolute form (RFC 9112, section 3.2.2)", () => {
  test.each(["http://test", "HTTP://other.example:81", "https://[::1]:1", "hTtPs://test"])(
    "loses %s",
    (base) => {
      for (const path of ["/", "/a/b?c=http://d", "//", "/a?b?c"]) {
        expect(normalized(base + path)).toBe(path);
      }
    },
  );

  test("without a path is /, and for OPTIONS the whole server unless there is a query", () => {
    expect(normalized("http://test")).toBe("/");
    expect(normalized("http://test?a=b")).toBe("/?a=b");
    expect(normalized("http://test", { method: "OPTIONS" })).toBe("*");
    expect(normalized("*", { method: "OPTIONS" })).toBe("*");
  });

  test.each([
    ...["*", "ftp://test/livez", "http://", "http:///livez", "http://[/livez", "test:80", "livez"],
    ...["http://test#/livez", "/livez#a", ""],
  ])("cannot be %j", (target) => {
    expect(normalized(target)).toBeUndefined();
  });
});
