import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { server } from "./example.ts";

test("the README of the transcoder shows example.ts", () => {
  const page = readFileSync(join(import.meta.dirname, "../../src/rest/README.md"), "utf8");
  const code = readFileSync(join(import.meta.dirname, "example.ts"), "utf8");
  const example = /\/\/ #region example\n(.*)\/\/ #endregion/s.exec(code)?.[1];
  expect(/```ts\n(.*?)```/s.exec(page)?.[1]).toBe(example);
});

test("the example serves GET and reports a parameter that is not valid", async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const get = async (target: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${target}`);
    return [response.status, await response.json()];
  };
  try {
    expect(await get("/v1/greetings/Ada?repeat=2")).toEqual([
      200,
      { text: "Hello, Ada!Hello, Ada!" },
    ]);
    expect(await get("/v1/greetings/Ada?repeat=two")).toMatchObject([
      400,
      { code: "invalid_argument", message: expect.stringMatching(/^repeat: must be an integer/) },
    ]);
  } finally {
    server.close();
  }
});
