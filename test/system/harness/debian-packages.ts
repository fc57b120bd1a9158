import { execFileSync } from "node:child_process";

/** Whether a program is on the PATH. */
export function isInstalled(name: string): boolean {
  try {
    execFileSync("sh", ["-c", 'command -v "$0"', name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs the Debian packages of programs that are missing.
 *
 * @param packages the package that has each program, by the name of the program
 * @throws Error that names the missing programs if they cannot be installed
 */
export function installPackages(packages: Readonly<Record<string, string>>): void {
  const missing = Object.keys(packages).filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const wanted = [...new Set(missing.map((name) => packages[name] ?? name))];
  const list = wanted.join(" ");
  process.stderr.write(`Installing Debian packages that the tests need: ${list}\n`);
  try {
    aptGet("update", "-qq");
    aptGet("install", "-y", "-qq", "--no-install-recommends", ...wanted);
  } catch (error) {
    const advice = `Install them (Debian: apt-get install ${list}).`;
    throw new Error(`These tests need ${missing.join(", ")}. ${advice}`, { cause: error });
  }
}

/** Runs apt-get, for at most five minutes. */
export function aptGet(...args: readonly string[]): void {
  execFileSync("apt-get", args, {
    stdio: "ignore",
    timeout: 300_000,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
