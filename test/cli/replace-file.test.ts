import {
  chmod,
  lstat,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { replaceFile } from "../../src/cli/output/replace-file.ts";
import { directoryOfTest } from "../support/directory.ts";

let directory = "";
let path = "";
const never = new AbortController().signal;

beforeEach(() => {
  directory = directoryOfTest();
  path = join(directory, "stock.csv");
});

test("keeps the old content until the new content is complete", async () => {
  await writeFile(path, "old");
  const seen: string[] = [];
  function* texts() {
    yield "n";
    yield "ew";
  }
  const watched = texts().map((text) => {
    seen.push(text);
    return text;
  });
  const writing = replaceFile(path, watched, never);
  while (seen.length < 2) {
    expect(await readFile(path, "utf8")).toBe("old");
  }
  await writing;
  expect(await readFile(path, "utf8")).toBe("new");
});

test.each(["failure", "interruption"])(
  "no %s changes the file or leaves a temporary file",
  async (kind) => {
    await writeFile(path, "old");
    const controller = new AbortController();
    function* texts() {
      yield "new";
      if (kind === "failure") throw new Error("no more");
      controller.abort();
      yield "er";
    }
    const message = kind === "failure" ? "no more" : undefined;
    await expect(replaceFile(path, texts(), controller.signal)).rejects.toThrow(message);
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(directory)).toEqual(["stock.csv"]);
  },
);

test("keeps the permissions of a file and the symbolic link to it", async () => {
  await writeFile(path, "old");
  await chmod(path, 0o606);
  const link = join(directory, "link.csv");
  await symlink(path, link);
  await replaceFile(link, ["new"], never);
  expect(await readFile(path, "utf8")).toBe("new");
  expect((await stat(path)).mode & 0o777).toBe(0o606);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
});

test("creates the missing target of a symbolic link", async () => {
  const link = join(directory, "link.csv");
  await symlink(path, link);
  await replaceFile(link, ["new"], never);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(path, "utf8")).toBe("new");
});

test("writes through a link to an open file, such as /dev/stdout", async () => {
  const opened = await open(path, "w+");
  await replaceFile(`/proc/self/fd/${opened.fd}`, ["new"], never);
  expect(await opened.readFile("utf8")).toBe("new");
  await opened.close();
  await rm(path);
});

test("writes to a device and does not replace it", async () => {
  const link = join(directory, "null.csv");
  await symlink("/dev/null", link);
  await replaceFile(link, ["text"], never);
  expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  expect(await readdir(directory)).toEqual(["null.csv"]);
});
