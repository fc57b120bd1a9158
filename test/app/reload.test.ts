import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeAll, expect, test } from "vitest";
import { loadSettings } from "../../src/app/reload.ts";
import { createLog } from "../../src/observability/log/log.ts";
import { createCertificate } from "../support/certificate.ts";
import { useDirectory } from "../support/directory.ts";

const directory = useDirectory();
const path = (name: string) => join(directory, name);

beforeAll(() => {
  for (const name of ["old", "new"]) createCertificate(path(name), "IP:127.0.0.1");
});

/** The settings of TLS with a certificate; without TLS if it has no name. */
const tls = (name: string) =>
  name === "" ? "" : `TLS_CERT=${path(name)}.crt\nTLS_KEY=${path(name)}.key\n`;

test.each([
  ["is turned on", "", "new", ["TLS_CERT", "TLS_KEY"]],
  ["is turned off", "old", "", ["TLS_CERT", "TLS_KEY"]],
  ["has other files", "old", "new", undefined],
])("when TLS %s, a reload names what needs a restart", (_, before, after, needed) => {
  const lines = new PassThrough({ encoding: "utf8" });
  writeFileSync(path("settings.env"), tls(before));
  const loaded = loadSettings(
    { CONFIG_FILE: path("settings.env") },
    createLog("info", undefined, lines),
  );
  const shown = () => loaded.inEffect.find(({ name }) => name === "TLS_CERT")?.value ?? "";
  const atStart = shown();
  writeFileSync(path("settings.env"), tls(after));
  expect(loaded.reload()).toBeDefined();
  const line = lines.read();
  expect(line === null ? undefined : JSON.parse(line).settings).toEqual(needed);
  expect(shown()).toBe(needed ? atStart : `${path(after)}.crt`);
});
