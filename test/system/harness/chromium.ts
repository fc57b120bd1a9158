import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { installPackages } from "./debian-packages.ts";

const executablePath = "/usr/bin/chromium";

/**
 * Starts Debian's Chromium headless, with a new profile. Installs it if it is missing and can be installed.
 *
 * @throws Error that says what to install
 */
export async function startChromium(): Promise<Browser> {
  installChromium();
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * Installs Chromium if it is missing. Workers must not do that: the downloads of one `apt-get` are deleted by the other.
 *
 * @throws Error that says what to install
 */
export function installChromium(): void {
  if (!existsSync(executablePath)) installPackages({ chromium: "chromium" });
}
