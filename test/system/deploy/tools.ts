/** Installs the programs that check the examples for deployment. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { aptGet, installPackages } from "../harness/debian-packages.ts";

/** Programs, and the Debian packages that have them. */
const debianPackages: Readonly<Record<string, string>> = {
  umoci: "umoci",
  crun: "crun",
  haproxy: "haproxy",
  "redis-cli": "redis-tools",
  "systemd-analyze": "systemd",
};

const environment = join(import.meta.dirname, ".venv");

const helmVersion = "v3.22.0";

/** Helm, which Go builds once: that takes about two minutes on two cores. */
export const helm = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"),
  `inventory-service/helm-${helmVersion}/helm`,
);

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

/** @throws Error that names the missing programs if they cannot be installed */
export function setup(): void {
  installPackages(debianPackages);
  try {
    // The image is made of packages that apt must find. A machine may have no lists of packages, or old ones.
    aptGet("update", "-qq");
  } catch {
    // Without a network, the lists that are there may do.
  }
  installPythonTools();
  if (!existsSync(helm)) {
    process.stderr.write(`Building Helm ${helmVersion}\n`);
    execFileSync("go", ["install", `helm.sh/helm/v3/cmd/helm@${helmVersion}`], {
      stdio: "inherit",
      env: { ...process.env, GOBIN: dirname(helm) },
    });
  }
}

/** Installs the packages of requirements.txt. */
export function installPythonTools(): void {
  if (!existsSync(pythonTool("python"))) {
    execFileSync("python3", ["-m", "venv", environment], { stdio: "inherit" });
  }
  const requirements = join(import.meta.dirname, "requirements.txt");
  execFileSync(pythonTool("python"), ["-m", "pip", "install", "-q", "-r", requirements], {
    stdio: "inherit",
  });
}
