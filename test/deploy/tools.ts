/** Installs the programs that check the examples for deployment. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Programs, and the Debian packages that have them. */
const debianPackages: Readonly<Record<string, string>> = {
  umoci: "umoci",
  crun: "crun",
  haproxy: "haproxy",
  "redis-cli": "redis-tools",
  "systemd-analyze": "systemd",
};

const environment = join(import.meta.dirname, ".venv");

/** The path of a program that a Python package of requirements.txt has. */
export function pythonTool(name: string): string {
  return join(environment, "bin", name);
}

/** Runs a program. @returns its standard output. @throws Error with its standard error */
export function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: "utf8", maxBuffer: 64 * 2 ** 20 });
}

/** Parses the documents of a YAML file. */
export function parseYaml(text: string): unknown[] {
  const script = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))";
  return JSON.parse(
    execFileSync(pythonTool("python"), ["-c", script], { input: text, encoding: "utf8" }),
  );
}

/** Whether a program is on the PATH. */
export function isInstalled(name: string): boolean {
  try {
    execFileSync("sh", ["-c", 'command -v "$0"', name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** @throws Error that names the missing programs if they cannot be installed */
export function setup(): void {
  const missing = Object.keys(debianPackages).filter((name) => !isInstalled(name));
  if (missing.length > 0) {
    const packages = missing.map((name) => debianPackages[name] ?? name);
    const advice = `Install ${packages.join(", ")} (Debian: apt-get install ${packages.join(" ")}).`;
    try {
      execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
      execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], {
        stdio: "ignore",
      });
    } catch (error) {
      throw new Error(`These checks need ${missing.join(", ")}. ${advice}`, { cause: error });
    }
  }
  if (!existsSync(pythonTool("python"))) {
    execFileSync("python3", ["-m", "venv", environment], { stdio: "inherit" });
  }
  const requirements = join(import.meta.dirname, "requirements.txt");
  execFileSync(pythonTool("python"), ["-m", "pip", "install", "-q", "-r", requirements], {
    stdio: "inherit",
  });
}
