import { describe, expect, test } from "vitest";
import { NodeHeaders } from "../../src/call/headers.ts";

/** What can be done with headers, and what they are asked. */
const uses: Readonly<Record<string, (headers: Headers) => unknown>> = {
  "names are not case-sensitive": (headers) => {
    headers.set("ETag", '"1"');
    return [headers.get("etag"), headers.get("ETAG"), headers.has("eTag")];
  },
  "an absent header is null": (headers) => [headers.get("x"), headers.has("x")],
  "set replaces, append joins, delete removes": (headers) => {
    headers.append("a", "1");
    headers.append("A", "2");
    headers.set("b", "1");
    headers.set("B", "2");
    headers.set("c", "1");
    headers.delete("C");
    headers.delete("none");
    return [...headers];
  },
  "all ways of iterating agree": (headers) => {
    headers.set("A", "1");
    headers.set("b", "2");
    const each: unknown[] = [];
    headers.forEach(function (this: unknown, value, name, all) {
      each.push([this, name, value, all === headers]);
    }, "self");
    return [[...headers], [...headers.entries()], [...headers.keys()], [...headers.values()], each];
  },
  "a cookie is found as one of a list": (headers) => {
    const before = headers.getSetCookie();
    headers.append("set-cookie", "a=b, c");
    return [before, headers.getSetCookie()];
  },
  "each cookie is a header of its own": (headers) => {
    headers.set("Set-Cookie", "a=b");
    headers.append("Set-Cookie", "c=d");
    headers.append("set-cookie", "e=f");
    const all = [headers.getSetCookie(), headers.get("set-cookie"), ...headers];
    headers.set("set-cookie", "g=h");
    return [all, headers.getSetCookie()];
  },
  "a name that is not valid in HTTP is refused": (headers) => {
    expect(() => headers.set("no name", "x")).toThrow(TypeError);
    expect(() => headers.append("", "x")).toThrow(TypeError);
    return [...headers];
  },
  "a value that is not valid in HTTP is refused": (headers) => {
    expect(() => headers.set("a", "x\r\nb: y")).toThrow(TypeError);
    expect(() => headers.append("a", "x\0")).toThrow(TypeError);
    return [...headers];
  },
};

describe("headers in a record do what Headers do", () => {
  test.each(Object.entries(uses))("%s", (_, use) => {
    expect(use(new NodeHeaders({}))).toEqual(use(new Headers()));
  });
});

test("reads the headers of a request of node, and changes its record", () => {
  const record = { ":path": "/", accept: "a", "set-cookie": ["a=b", "c=d"] };
  const headers = new NodeHeaders(record);
  expect([...headers.keys()]).toEqual(["accept", "set-cookie", "set-cookie"]);
  expect(headers.get("Set-Cookie")).toBe("a=b, c=d");
  expect(headers.getSetCookie()).toEqual(["a=b", "c=d"]);
  headers.set("Accept", "b");
  headers.delete("set-cookie");
  expect(record).toEqual({ ":path": "/", accept: "b" });
});
