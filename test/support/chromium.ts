import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/**
 * Starts Debian's Chromium headless, with a new profile. Installs it if it is missing and can be installed.
 *
 * @throws Error that says what to install
 */
export async function startChromium(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    install();
  }
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

function install(): void {
  try {
    process.stderr.write(`No ${executablePath}: installing Debian's.\n`);
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
    execFileSync("apt-get", ["install", "-y", "-qq", "chromium"], { stdio: "ignore" });
  } catch {
    throw new Error(
      "The browser pages are tested in Chromium: install it (Debian: apt-get install chromium).",
    );
  }
}
