import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rows } from "../../bench/gateways/calls.ts";
import { peers } from "../../bench/gateways/peers.ts";
import { peerVersions, type Results, withResults } from "../../bench/gateways/results.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const results = JSON.parse(read("bench/gateways/results.json")) as Results;

test("docs/gateway-comparison.md has the figures of bench/gateways/results.json", async () => {
  const current = withResults(read("docs/gateway-comparison.md"), results);
  await expect(current).toMatchFileSnapshot("../../docs/gateway-comparison.md");
});

test.each(peers)("the figures of $name are of the current rows", ({ name, protocols }) => {
  const served = rows.filter(({ protocol }) => protocols.includes(protocol));
  expect(Object.keys(results.peers[name]?.rates ?? {})).toEqual(served.map((row) => row.name));
});

test("the figures are of the current versions: otherwise run npm run task bench-gateways", () => {
  expect(results.versions).toBe(peerVersions());
});
