import { expect, test } from "vitest";
import lock from "../../package-lock.json" with { type: "json" };
import consoleManifest from "../../packages/console/package.json" with { type: "json" };

/** Licenses that ask for no more than their text, which the packages have. */
const permitted =
  /^(?:Apache-2\.0|MIT|ISC|0BSD|BSD-[23]-Clause|Unlicense|\(Apache-2\.0 AND BSD-3-Clause\))$/;

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

test("all packages that the service ships have a permissive license", () => {
  const inPages = new Set(
    Object.keys(consoleManifest.devDependencies).map((name) => `node_modules/${name}`),
  );
  // It only builds the pages.
  inPages.delete("node_modules/esbuild");
  const shipped = Object.entries(lock.packages as Readonly<Record<string, Locked>>).filter(
    ([path, { dev, link }]) => path !== "" && !link && (!dev || inPages.has(path)),
  );
  expect(shipped.length).toBeGreaterThan(30);
  const others = shipped.filter(([, { license = "none" }]) => !permitted.test(license));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});
