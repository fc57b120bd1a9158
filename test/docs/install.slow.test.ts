import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { directoryOfTest } from "../support/directory.ts";
import { startChild } from "../system/harness/child.ts";
import { freePort } from "../system/harness/redis-server.ts";

const root = join(import.meta.dirname, "../..");

/** Most by which the size in README.md may differ from that of an installation, in MiB: file systems differ. */
const tolerance = 3;

/** Copies the files of the project, without what is installed or generated. @returns the folder */
function cloneProject(): string {
  const folder = directoryOfTest();
  execFileSync("sh", ["-c", `git ls-files -z | tar -c --null -T - | tar -x -C '${folder}'`], {
    cwd: root,
  });
  return folder;
}

test("the short installation of README.md has the size that it says, and starts the service", async () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [first, start = ""] = /```sh\n(.*?)```/s.exec(readme)?.[1]?.split("\n") ?? [];
  const [, install = "", size] =
    /^\| install less \| `([^`]*)` installs (\d+) MB/m.exec(readme) ?? [];
  expect([first, start, install]).toEqual(["npm ci", "npm start", "npm ci --omit=dev"]);
  const folder = cloneProject();
  const port = String(await freePort());
  // npm uses the Node that runs this test, not one in node_modules/.bin.
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const environment = { ...process.env, PATH: path, PORT: port };
  execFileSync("sh", ["-c", install], { cwd: folder, env: environment });
  const [kib] = execFileSync("du", ["-sk", "node_modules"], { cwd: folder, encoding: "utf8" })
    .split("\t")
    .map(Number);
  expect(Math.abs(Number(kib) / 1024 - Number(size))).toBeLessThan(tolerance);

  // npm does not pass SIGKILL on.
  const options = { cwd: folder, env: environment, shell: true, detached: true };
  const service = startChild([start], options);
  onTestFinished(async () => void (await service.end()));
  const key = await service.until(
    "the key is printed",
    () => /INVENTORY_API_KEY=(inv_\w+)/.exec(service.stdout)?.[1],
    60_000,
  );
  const response = await fetch(`http://127.0.0.1:${port}/v1/inventory`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
}, 240_000);
