import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Route } from "../../src/rest/path/route.ts";
import { createMatcher } from "../../src/rest/path/router.ts";
import { parseTemplate } from "../../src/rest/path/template.ts";

/** Creates routes from lines such as `GET /v1/{name}`. The line is the name of the route. */
function routes(...lines: string[]): Route[] {
  return lines.map((name) => {
    const [httpMethod = "", path = ""] = name.split(" ");
    return { httpMethod, template: parseTemplate(path), name } as Route;
  });
}

const match = (lines: string[], httpMethod: string, path: string) =>
  createMatcher(routes(...lines))(httpMethod, { path, query: "" });

/** Returns the line that a matcher finds, or the methods of the path's lines. */
function find(lines: string[], httpMethod: string, path: string): string | string[] {
  const found = match(lines, httpMethod, path);
  if (found.kind === "route") return found.route.name;
  const allowed = found.kind === "not_found" ? [] : found.allow.split(", ");
  return allowed.filter((method) => method !== "HEAD" && method !== "OPTIONS");
}

describe("the matching rule", () => {
  const shelf = [
    "GET /v1/books",
    "GET /v1/books/{id}",
    "GET /v1/books/new",
    "POST /v1/books/{id}",
    "GET /v1/books/{id}/pages/*",
    "GET /v1/{rest=**}",
    "DELETE /v1/books/{id}",
    "GET /v1/books/{id}:lend",
    "POST /v1/books:import",
    "POST /v1/books/**:purge",
  ];
  test.each([
    ["GET", "/v1/books", "GET /v1/books"],
    ["GET", "/v1/books/new", "GET /v1/books/new"],
    ["GET", "/v1/books/n%65w", "GET /v1/books/new"],
    ["GET", "/v1/books/old", "GET /v1/books/{id}"],
    ["GET", "/v1/books/a%2Fb", "GET /v1/books/{id}"],
    ["GET", "/v1/books/../.", "GET /v1/{rest=**}"],
    // The best matching template serves the path for every method.
    ["POST", "/v1/books/new", ["GET"]],
    ["GET", "/v1/books/new/pages/1", "GET /v1/books/{id}/pages/*"],
    ["GET", "/v1/books/new/covers/1", "GET /v1/{rest=**}"],
    // ** matches zero segments.
    ["GET", "/v1", "GET /v1/{rest=**}"],
    ["HEAD", "/v1/books", "GET /v1/books"],
    ["GET", "/v1/books/7:lend", "GET /v1/books/{id}:lend"],
    // Not a verb here, but a part of the text.
    ["GET", "/v1/books/7:sell", "GET /v1/books/{id}"],
    ["GET", "/v1/books/7%3Alend", "GET /v1/books/{id}"],
    ["GET", "/v1/books/:lend", "GET /v1/books/{id}"],
    ["GET", "/v1/books/7:", "GET /v1/books/{id}"],
    ["POST", "/v1/books:import", "POST /v1/books:import"],
    ["POST", "/v1/books:purge", "POST /v1/books/**:purge"],
    ["POST", "/v1/books/1/2/3:purge", "POST /v1/books/**:purge"],
    ["POST", "/v1/books/1/2/3", ["GET"]],
    ["PUT", "/v1/books/new", ["GET"]],
    // A matching verb is a verb for every method.
    ["PUT", "/v1/books/7:purge", ["POST"]],
    ["GET", "/v1/books/7:purge", ["POST"]],
    ["GET", "/v1/books:import", ["POST"]],
    ["DELETE", "/v1/books/7:lend", ["GET"]],
    ["GET", "/v2/books", []],
    ["GET", "/", []],
    ["GET", "/v1/books/", []],
    ["GET", "/v1//books", []],
    ["GET", "//v1/books", []],
    ["GET", "v1/books", []],
    ["GET", "", []],
    ["get", "/v1/books", ["GET"]],
  ])("%s %s", (method, path, expected) => {
    expect(find(shelf, method, path)).toEqual(expected);
  });

  test("the longest registered verb wins", () => {
    const lines = ["GET /{a}:b:c", "GET /{a}:c", "GET /{a}"];
    expect(find(lines, "GET", "/x:b:c")).toBe("GET /{a}:b:c");
    expect(find(lines, "GET", "/x:d:c")).toBe("GET /{a}:c");
    expect(find(lines, "GET", "/x:c:b")).toBe("GET /{a}");
  });

  describe("a colon in the last segment belongs to the rule that contains it", () => {
    const iam = ["GET /v1/iam/{name=projects/*}", "GET /v1/iam/{name=**}:getIamPolicy"];
    test.each<[string[], string, string]>([
      [iam, "/v1/iam/projects/7:getIamPolicy", "GET /v1/iam/{name=**}:getIamPolicy"],
      [iam, "/v1/iam/projects/7:get%49amPolicy", "GET /v1/iam/{name=**}:getIamPolicy"],
      // An encoded colon belongs to the variable.
      [iam, "/v1/iam/projects/7%3AgetIamPolicy", "GET /v1/iam/{name=projects/*}"],
      // No rule contains these colons.
      [iam, "/v1/iam/projects/7:get", "GET /v1/iam/{name=projects/*}"],
      [iam, "/v1/iam/projects/:getIamPolicy", "GET /v1/iam/{name=projects/*}"],
      [iam, "/v1/iam/projects/7:", "GET /v1/iam/{name=projects/*}"],
      // The first colon of a rule has precedence over literal segments.
      [["GET /a/{x}:c", "GET /{x=**}:b:c"], "/a/1:b:c", "GET /{x=**}:b:c"],
      [["GET /a/{x}:c", "GET /{x=**}:b:c"], "/a/1:d:c", "GET /a/{x}:c"],
      // A literal can contain the colon, like a verb.
      [["GET /{x=a:b}", "GET /{x}:b"], "/a:b", "GET /{x=a:b}"],
      [["GET /{x=a:b}", "GET /{x}:b"], "/c:b", "GET /{x}:b"],
      [["GET /{x=a:b}:c", "GET /{x}:b:c"], "/a:b:c", "GET /{x=a:b}:c"],
      [["GET /{x=:b}", "GET /{x}"], "/:b", "GET /{x=:b}"],
      [["GET /*/{x=a:b}", "GET /s/{x}:b"], "/s/a:b", "GET /s/{x}:b"],
      [["GET /{x=a:b}/**", "GET /{x}:b"], "/a:b", "GET /{x=a:b}/**"],
      // A colon before the last segment does not start a verb.
      [["GET /{x}/c", "GET /{x=**}:b"], "/a:b/c", "GET /{x}/c"],
    ])("%j: %s", (lines, path, expected) => {
      expect(find(lines, "GET", path)).toBe(expected);
    });

    test("for every method, so other methods are not allowed", () => {
      expect(find(["POST /{x=a:b}", "GET /{x}"], "GET", "/a:b")).toEqual(["POST"]);
      expect(find(["POST /{x}:b", "GET /{x=**}"], "GET", "/a:b")).toEqual(["POST"]);
      expect(find(["POST /{x}:b", "GET /{x=**}"], "GET", "/a%3ab")).toBe("GET /{x=**}");
    });

    test("the value of the variable excludes the verb", () => {
      const segments = ["v1", "iam", "projects", "7:x"];
      const found = match(iam, "GET", "/v1/iam/projects/7:x:getIamPolicy");
      expect(found).toMatchObject({ segments });
      expect(match(iam, "GET", "/v1/iam/projects/7:x")).toMatchObject({ segments });
    });
  });

  test("** matches the root path", () => {
    expect(find(["GET /{all=**}"], "GET", "/")).toBe("GET /{all=**}");
  });

  test("a rule for the method takes precedence over a rule for any method", () => {
    const lines = ["* /a", "GET /a", "HEAD /b", "GET /b"];
    expect(find(lines, "GET", "/a")).toBe("GET /a");
    expect(find(lines, "HEAD", "/a")).toBe("GET /a");
    expect(find(lines, "BREW", "/a")).toBe("* /a");
    expect(find(lines, "HEAD", "/b")).toBe("HEAD /b");
  });

  test("the last segment excludes the verb", () => {
    const lines = ["GET /a/{b=**}:do", "GET /c:do:it", "GET /d/**:do"];
    expect(match(lines, "GET", "/a/b/c:do")).toMatchObject({ segments: ["a", "b", "c"] });
    expect(match(lines, "GET", "/c:do:%69t")).toMatchObject({ segments: ["c"] });
    expect(match(lines, "GET", "/d:do")).toMatchObject({ segments: ["d"] });
  });
});

describe("two conflicting rules throw an error that names both", () => {
  test.each([
    ["GET /a/{x}", "GET /a/{y=*}"],
    ["GET /a/*", "GET /a/{y}"],
    ["GET /a/{x=b/*}", "GET /a/b/{y}"],
    ["GET /%61", "GET /a"],
    ["GET /a:b", "GET /{x=a:b}"],
    ["GET /{x=**}:v", "GET /**:v"],
    ["* /a", "* /a"],
  ])("%s and %s", (one, other) => {
    const lines = routes(one, other).map((route, index) => ({ ...route, name: `M${index}` }));
    expect(() => createMatcher(lines)).toThrow(/^M1 and M0 both serve /);
  });

  test.each([
    ["GET /a/{x}", "POST /a/{x}"],
    ["GET /a", "* /a"],
    ["GET /a/{x}", "GET /a/{x}:v"],
    ["GET /a/*", "GET /a/**"],
  ])("%s and %s do not conflict", (one, other) => {
    expect(() => createMatcher(routes(one, other))).not.toThrow();
  });
});

describe("compared with a matcher that tries every template", () => {
  const word = fc.constantFrom("a", "b", "c");
  const verb = fc.constantFrom("", "", ":v", ":w", ":v:w");
  const method = fc.constantFrom("GET", "POST", "*");
  const line = fc
    .tuple(
      method,
      fc.array(fc.oneof(word, fc.constant("*")), { maxLength: 3 }),
      fc.constantFrom("a", "*", "**"),
      verb,
    )
    .map(
      ([httpMethod, path, last, suffix]) => `${httpMethod} /${[...path, last].join("/")}${suffix}`,
    );
  const path = fc
    .tuple(fc.array(fc.constantFrom("a", "b", "%61", "d"), { minLength: 1, maxLength: 4 }), verb)
    .map(([segments, suffix]) => `/${segments.join("/")}${suffix}`);

  test("finds the same rule or the same methods", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { minLength: 1, maxLength: 12 }),
        path,
        fc.constantFrom("GET", "POST", "PUT"),
        (lines, target, httpMethod) => {
          expect(find(lines, httpMethod, target)).toEqual(findNaively(lines, httpMethod, target));
        },
      ),
      { numRuns: 3000 },
    );
  });

  interface Candidate {
    readonly line: string;
    readonly httpMethod: string;
    readonly verb: string;
    /** Rank of the match for each segment of the path. Smaller is better. */
    readonly rank: string;
  }

  function findNaively(lines: string[], httpMethod: string, target: string): string | string[] {
    const segments = target.slice(1).replaceAll("%61", "a").split("/");
    const fitting = lines.flatMap((text) => candidatesOf(text, segments));
    const longestVerb = Math.max(...fitting.map(({ verb: own }) => own.length));
    const longest = fitting.filter(({ verb: own }) => own.length === longestVerb);
    const [least] = longest.map(({ rank }) => rank).sort();
    const best = longest.filter(({ rank }) => rank === least);
    const methods = best.map((one) => one.httpMethod).sort();
    const method = [httpMethod, "*"].find((one) => methods.includes(one));
    return best.find((one) => one.httpMethod === method)?.line ?? methods;
  }

  function candidatesOf(text: string, segments: readonly string[]): Candidate[] {
    const [, httpMethod = "", shape = "", own = ""] = /^(\S+) \/([^:]*)(:.*)?$/.exec(text) ?? [];
    const last = segments.at(-1) ?? "";
    if (!last.endsWith(own) || last === own) return [];
    const rest = [...segments.slice(0, -1), own === "" ? last : last.slice(0, -own.length)];
    const pattern = shape.split("/");
    const deep = pattern.at(-1) === "**";
    if (deep) pattern.pop();
    if (deep ? rest.length < pattern.length : rest.length !== pattern.length) return [];
    if (!pattern.every((one, index) => one === "*" || one === rest[index])) return [];
    const rank = rest.map((_, index) => ["a", "*"].indexOf(pattern[index] === "*" ? "*" : "a"));
    const ranks = rank.map((value, index) => (index >= pattern.length ? 2 : value));
    return [{ line: text, httpMethod, verb: own, rank: ranks.join("") + (deep ? "1" : "0") }];
  }
});

describe("text that is not a verb", () => {
  test("a verb needs a colon", () => {
    expect(find(["GET /v1/a:b"], "GET", "/v1/a:b")).toBe("GET /v1/a:b");
    expect(find(["GET /v1/a:b"], "GET", "/v1/axb")).toEqual([]);
    const lend = ["GET /v1/{id}", "GET /v1/{id}:lend"];
    expect(find(lend, "GET", "/v1/7xlend")).toBe("GET /v1/{id}");
  });

  test("a colon at the end does not start a verb", () => {
    expect(find(["GET /v1/books"], "GET", "/v1/books:")).toEqual([]);
    expect(match(["GET /v1/{id}"], "GET", "/v1/7:")).toMatchObject({ segments: ["v1", "7:"] });
  });

  test("a path must start with a slash", () => {
    expect(find(["GET /v1/books"], "GET", "xv1/books")).toEqual([]);
  });

  test("* is the whole server for OPTIONS only", () => {
    const lines = ["GET /a", "PATCH /b", "* /c"];
    const all = { kind: "options", allow: "GET, HEAD, OPTIONS, PATCH" };
    expect(match(lines, "OPTIONS", "*")).toEqual(all);
    expect(match(lines, "GET", "*")).toEqual({ kind: "not_found" });
  });
});
