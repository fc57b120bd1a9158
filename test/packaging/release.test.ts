import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import names from "../../packaging/release/names.json" with { type: "json" };
import { checkedVersion, notice, withRelease } from "../../packaging/release/release.ts";
import { withNames } from "../../packaging/release/set-names.ts";
import { versionPlaces, withVersion } from "../../packaging/release/version.ts";
import { trackedFiles } from "../support/tracked-files.ts";

const { version } = manifest;
const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
const nextVersions = [
  `${major}.${minor}.${patch + 1}`,
  `${major}.${minor + 1}.0`,
  `${major + 1}.0.0`,
];

/** Texts by their paths. Binary files and files of package managers have no names of this project. */
const texts = new Map(
  trackedFiles(":!*.lock", ":!*go.sum", ":!*-lock.json", ":!bench/**/results.json")
    .map((path) => [path, readFileSync(path)] as const)
    .filter(([, data]) => !data.includes(0))
    .map(([path, data]) => [path, data.toString()] as const),
);

test("all places of the version have that of package.json, and get another one", () => {
  for (const path of Object.keys(versionPlaces)) {
    const next = withVersion(path, readFileSync(path, "utf8"), version, "7.6.5");
    expect(next, path).toContain("7.6.5");
  }
});

test.each([version, ...nextVersions])(
  "%s stands at no other place, so that it can be released",
  (searched) => {
    /** Promises since 1.0.0, examples, generated and measured files, and versions of something else. */
    const others = [
      /^docs\/operator\/upgrading\.md: .*(?:release of|version) 1\.0\.0 on/,
      /^(?:gen\/openapi\.json|docs\/gateway-comparison\.md|(?:.*\/)?CHANGELOG\.md|test\/packaging\/.*): /,
      /^docs\/contributor\/releasing\.md: |such as \d|npm run task release -- /,
      /openmetrics|text; version=|\.end\(|\/version"|measureProcess\(/,
      /^(?:test\/system\/(?:clients|packages)\/java\/pom\.xml|.*go\.mod): /,
      /^package\.json: "(?!version|connect-gateway)[\w@/-]+": "/,
    ];
    const found = new RegExp(`(?<![\\d.])${RegExp.escape(searched)}(?!\\.?\\d)`);
    const stray = [...texts].flatMap(([path, text]) =>
      (versionPlaces[path] ? withVersion(path, text, version, "") : text)
        .split("\n")
        .filter((line) => found.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(stray.filter((line) => !others.some((other) => other.test(line)))).toEqual([]);
  },
);

test("the pages install the packages that the manifests name", () => {
  const read = (path: string) => texts.get(path) ?? "";
  const nameOf = (path: string, pattern: RegExp) => pattern.exec(read(path))?.[1] ?? `no ${path}`;
  const npmName = (folder: string) => JSON.parse(read(`${folder}/package.json`)).name;
  const typescript = npmName("clients/typescript");
  const python = nameOf("clients/python/pyproject.toml", /^name = "(.*)"$/m);
  const go = nameOf("clients/go/go.mod", /^module (.*)$/m);
  const pom = /<groupId>(.*)<\/groupId>\s*<artifactId>(.*)<\/artifactId>/;
  const [, group, artifact] = pom.exec(read("clients/java/pom.xml")) ?? [];
  const chart = nameOf("deploy/helm/inventory/Chart.yaml", /^name: (.*)$/m);
  const gateway = npmName("packages/connect-gateway");
  const [installs = ""] = /^## Install$.*?(?=^## )/ms.exec(read("README.md")) ?? [];
  expect([...installs.matchAll(/^\| .* \| .*?`(.*?)`/gm)].map(([, command]) => command)).toEqual([
    `npx ${manifest.name}@${version}`,
    `docker run --publish 8080:8080 ${names.image}:${version}`,
    `helm install inventory oci://${names.charts}/${chart} --version ${version}`,
    `npm install ${typescript}@${version}`,
    `go get ${names.goModule}@v${version}`,
    `pip install ${python}==${version}`,
    `${group}:${artifact}:${version}`,
    `npm install ${gateway}@${version}`,
  ]);
  expect(go).toBe(names.goModule);
  expect(group).toBe(`${names.javaPrefix}.inventory`);
  const firstBlock = (page: string) => nameOf(page, /^```\w+\n(.*?)\n```$/ms);
  expect(firstBlock("clients/typescript/README.md")).toBe(`npm install ${typescript}`);
  expect(firstBlock("clients/go/README.md")).toBe(`go get ${go}`);
  expect(firstBlock("clients/python/README.md")).toBe(`pip install ${python}`);
  expect(firstBlock("clients/java/README.md").replaceAll(/\s+/g, "")).toBe(
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  expect(firstBlock("packages/connect-gateway/README.md")).toContain(`npm install ${gateway} `);
  const named = [...read("clients/README.md").matchAll(/^\| [\w, ]+ \| \w+ `(.*?)`/gm)];
  expect(named.map(([, name]) => name)).toEqual([typescript, go, python, `${group}:${artifact}`]);
});

test("all names get other ones, so that no placeholder is left", () => {
  const changed = {
    repository: "host.test/acme/stock",
    goModule: "host.test/acme/stock/clients/go",
    javaPrefix: "test.acme",
    image: "images.test/acme/stock",
    charts: "images.test/acme/charts",
    maintainers: "@acme/stock",
  };
  expect(Object.keys(changed)).toEqual(Object.keys(names));
  const isPlaceholder =
    /inventory\.example\/(?:inventory|client)\b|registry\.example|(?<![\w.])example[./](?:inventory|store)\b|inventory-service\/maintainers/;
  const ofOthers = ["packaging/release/names.json", "gen/rpc.json", import.meta.filename];
  const left = [...texts].flatMap(([path, text]) =>
    ofOthers.some((each) => each.endsWith(path))
      ? []
      : withNames(path, text, changed)
          .split("\n")
          .filter((line) => isPlaceholder.test(line))
          .map((line) => `${path}: ${line.trim()}`),
  );
  expect(left).toEqual([]);
  const java = "clients/java/README.md";
  expect(withNames(java, texts.get(java) ?? "", changed)).toContain("import test.acme.store.v1.");
});

test("only README.md says that there is no release, and the release removes that", () => {
  const readme = texts.get("README.md") ?? "";
  const isReleased = !notice.test(readme);
  for (const path of ["CHANGELOG.md", "packages/connect-gateway/CHANGELOG.md"]) {
    const dated = [...(texts.get(path) ?? "").matchAll(/^## \[(\d.*?)\]/gm)].map(
      ([, each]) => each,
    );
    expect(dated[0], path).toBe(isReleased ? version : undefined);
    expect(new Set(dated).size).toBe(dated.length);
  }
  const saying = [...texts].filter(
    ([path, text]) =>
      !path.startsWith("test/") && /(?:not released|no release) yet/.test(text.replace(notice, "")),
  );
  expect(saying.map(([path]) => path)).toEqual([]);
});

test("a release has a newer version than the last one", () => {
  expect(checkedVersion(["1.10.0"], "1.9.0", false)).toBe("1.10.0");
  expect(checkedVersion(["1.0.0"], "1.0.0", true)).toBe("1.0.0");
  for (const args of [["1.9.0"], ["1.8.9"], ["01.10.0"], ["2.0"], ["2.0.0", "x"], []]) {
    expect(() => checkedVersion(args, "1.9.0", false)).toThrow();
  }
});

test("a release dates the changelog, and begins an empty list", () => {
  expect(withRelease("# Changelog\n\n## [Unreleased]\n\n- New.\n", "1.2.0", "2027-01-02")).toBe(
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2027-01-02\n\n- New.\n",
  );
  expect(() => withRelease("# Changelog\n", "1.2.0", "2027-01-02")).toThrow("[Unreleased]");
});

test("each task that a workflow runs exists", () => {
  const tasks = texts.get(".ci/task") ?? "";
  const used = trackedFiles(".github/workflows").flatMap((path) =>
    [...(texts.get(path) ?? "").matchAll(/npm run task ([\w-]+)/g)].map(([, name]) => name),
  );
  expect(used.length).toBeGreaterThan(2);
  expect(used.filter((name) => !tasks.includes(`\n${name}() {`))).toEqual([]);
});
