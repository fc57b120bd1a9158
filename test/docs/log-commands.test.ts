import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { useDirectory } from "../support/directory.ts";
import { examples } from "./log-examples.ts";

const directory = useDirectory();
const file = join(directory, "inventory.log");
const summary = examples["Requests beyond limits, once a minute"] ?? "";

beforeAll(() => {
  const ofOtherWorker = JSON.stringify({ ...JSON.parse(summary), worker: 2 });
  writeFileSync(file, `${[...Object.values(examples), ofOtherWorker].join("\n")}\n`);
});

const page = readFileSync(join(import.meta.dirname, "../../docs/operator/logs.md"), "utf8");
const section = /^## Find lines\n\n```sh\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
const commands = section.trimEnd().split("\n");

/** Types a command of the page. @returns its output, in lines */
function type(command: string): string[] {
  const here = command.replaceAll("/tmp/inventory.log", file);
  const output = execFileSync("bash", ["-o", "pipefail", "-c", here], { encoding: "utf8" });
  return output.trimEnd().split("\n");
}

/** Types the only command that contains a text. */
function typeCommandWith(text: string): string[] {
  const [command = "", ...others] = commands.filter((each) => each.includes(text));
  expect(others).toEqual([]);
  return type(command);
}

test("all commands of the page are here", () => {
  expect(commands).toHaveLength(6);
});

test("the slow requests", () => {
  expect(typeCommandWith('"slow request"').map((line) => JSON.parse(line))).toEqual([
    {
      ms: 1502.118,
      storeMs: 3.4,
      route: "/v1/inventory",
      requestId: "0f8f1f2e6f0f4b1e9c520f1c1b0e7a55",
    },
  ]);
});

test("the entries of the audit trail", () => {
  expect(typeCommandWith('"audit entry"').map((line) => JSON.parse(line))).toEqual([
    { sequence: 3, entry: expect.objectContaining({ kind: "begin", request: "till-3:0043" }) },
  ]);
});

test("the lines that need attention", () => {
  expect(typeCommandWith(".level >= 40").map((line) => JSON.parse(line).msg)).toEqual([
    "slow request",
    "key banned",
    "redis lost",
    "redis recovered",
  ]);
});

test("the lines of one request", () => {
  expect(typeCommandWith("till-3:0042")).toEqual([
    examples["A gRPC call that failed, in the access log"],
  ]);
});

test("the results of requests, with their numbers", () => {
  const lines = typeCommandWith("uniq -c").map((line) => line.trim());
  const route = "/inventory.v1.InventoryService/UpdateInventory";
  expect(lines).toEqual([`1 NOT_FOUND\tPET_NOT_FOUND\t${route}`]);
});

test("the refusals of all workers together", () => {
  const sums = JSON.parse(typeCommandWith("jq -s").join(""));
  expect(sums).toEqual({ RATE_LIMITED: 2 * 61, KEY_BANNED: 2 * 6_951 });
});
