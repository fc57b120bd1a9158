import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { startChild } from "../system/harness/child.ts";
import { freePort } from "../system/harness/redis-server.ts";
import { secret } from "./receiver.ts";

const root = join(import.meta.dirname, "../..");
const file = "docs/operator/receiver.js";

test("docs/operator/relay.md shows the receiver that its session starts", () => {
  const page = readFileSync(join(root, "docs/operator/relay.md"), "utf8");
  expect(page).toContain(`\`\`\`js\n${readFileSync(join(root, file), "utf8")}\`\`\`\n`);
});

test("the receiver of the docs prints each signed change once, and refuses others", async () => {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), RELAY_SECRET: secret };
  const receiver = startChild([process.execPath, file], { cwd: root, env });
  onTestFinished(async () => void (await receiver.end()));
  const webhook = new Webhook(secret);

  async function send(version: number, signedBody: string, body = signedBody, at = new Date()) {
    const headers = {
      "webhook-id": String(version),
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": webhook.sign(String(version), at, signedBody),
    };
    const sent = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body });
    return sent.status;
  }

  await expect
    .poll(() => send(1, '{"n":1}').catch(() => "starting"), { timeout: 20_000 })
    .toBe(204);
  expect(await send(1, '{"n":1}')).toBe(204);
  expect(await send(2, '{"n":2}', '{"n":3}')).toBe(401);
  expect(await send(2, '{"n":2}', undefined, new Date(Date.now() - 600_000))).toBe(401);
  expect(await send(2, '{"n":2}')).toBe(204);
  await expect.poll(() => receiver.stdout, { timeout: 5_000 }).toBe('{"n":1}\n{"n":2}\n');
});
