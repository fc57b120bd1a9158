import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

export type Command = readonly [string, ...string[]];

/** A check, as parsed from a line of a test runner's output. */
export interface Check {
  readonly name: string;
  readonly passed: boolean;
}

/** A contract from which clients are generated. Its paths are relative to the root of the repository, or absolute. */
export interface Contract {
  /** An image of buf. Absent: the present contract, which the templates of buf name. */
  readonly image?: string;
  /** The OpenAPI document. */
  readonly openapi: string;
}

/** How the clients of one language are generated and run. */
export interface Language {
  readonly name: string;
  /** Commands that fail if the toolchain is missing, and what to install then. */
  readonly needs: readonly { readonly command: Command; readonly install: string }[];
  /** Build commands, run in order from the root of the repository. */
  readonly build: (contract: Contract) => readonly Command[];
  /** The command that runs the examples, from their folder. */
  readonly test: Command;
  /** Parses a line of the test runner's output. Returns undefined if it reports no check. */
  readonly read: (line: string) => Check | undefined;
}

const folder = (language: string) => join("test/system/clients", language);

/** The command that generates code from a contract with the template of the language's folder. */
function generate(language: string, { image }: Contract): Command {
  const template = join(folder(language), "buf.gen.yaml");
  return ["buf", "generate", ...(image === undefined ? [] : [image]), "--template", template];
}

/** Parses lines with a pattern. Its group `name` is the check, and its group `ok` matches only if it passed. */
function byPattern(pattern: RegExp): Language["read"] {
  return (line) => {
    const groups = pattern.exec(line)?.groups;
    return groups?.name === undefined
      ? undefined
      : { name: groups.name, passed: groups.ok !== undefined };
  };
}

/** Programs that run once need neither optimized code nor a parallel garbage collector: half of the CPU time. */
export const shortLivedJava = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"] as const;

const maven = ["env", `MAVEN_OPTS=${shortLivedJava.join(" ")}`, "mvn", "-q", "-B"] as const;

/** With trimpath, Go's build cache serves the packages in every folder, such as those of `test/system/packages`. */
export const goFlags = "-trimpath";

const go = ["env", `GOFLAGS=${goFlags}`, "go", "-C", join("test/system/clients", "go")] as const;

const venv = join(folder("python"), ".venv");
const python = join(venv, "bin/python");

/** The languages, by the names of their folders. */
export const languages: Readonly<Record<string, Language>> = {
  go: {
    name: "Go",
    needs: [{ command: ["go", "version"], install: "Go 1.26 (https://go.dev/dl)" }],
    build: (contract) => [
      generate("go", contract),
      ["mkdir", "-p", join(folder("go"), "gen/rest")],
      [...go, "tool", "oapi-codegen", "-config=oapi-codegen.yaml", resolve(contract.openapi)],
      [...go, "vet", "./..."],
    ],
    test: ["env", `GOFLAGS=${goFlags}`, "go", "test", "-v", "."],
    read: byPattern(/^\s*--- (?:(?<ok>PASS)|FAIL|SKIP): (?<name>\S+)/),
  },
  python: {
    name: "Python",
    needs: [
      {
        command: ["python3", "-c", "import sys, venv, pip; assert sys.version_info >= (3, 11)"],
        install:
          "Python 3.11 or later, with venv and pip (Debian: apt-get install python3-venv python3-pip)",
      },
    ],
    build: (contract) => [
      // The system's pip installs into the environment: a pip of its own would take half of the time.
      ...(existsSync(python) ? [] : ([["python3", "-m", "venv", "--without-pip", venv]] as const)),
      [
        ...(["python3", "-m", "pip", "--python", python, "install", "--quiet"] as const),
        ...["--no-compile", "--requirement", join(folder("python"), "requirements.txt")],
      ],
      generate("python", contract),
      [
        join(venv, "bin/openapi-python-client"),
        "generate",
        `--path=${contract.openapi}`,
        `--config=${join(folder("python"), "openapi-python-client.yaml")}`,
        `--output-path=${join(folder("python"), "gen/rest")}`,
        "--meta=none",
        "--overwrite",
      ],
    ],
    test: [".venv/bin/python", "-m", "pytest", "--verbose", "--color=no"],
    read: byPattern(/^(?:\S+::)(?<name>.+?) (?:(?<ok>PASSED)|FAILED|ERROR|SKIPPED)\b/),
  },
  java: {
    name: "Java",
    needs: [
      {
        command: ["javac", "--version"],
        install: "a JDK 17 or later (Debian: apt-get install default-jdk)",
      },
      {
        command: ["mvn", "--version"],
        install: "Maven 3.8 or later (Debian: apt-get install maven)",
      },
    ],
    build: (contract) => [
      [...maven, "-f", folder("java"), "initialize"],
      [
        "java",
        ...shortLivedJava,
        "-jar",
        join(folder("java"), "plugins/openapi-generator.jar"),
        "generate",
        `--input-spec=${contract.openapi}`,
        `--output=${join(folder("java"), "gen")}`,
        `--config=${join(folder("java"), "openapi-generator.yaml")}`,
      ],
      [...maven, "-f", folder("java"), "test-compile"],
    ],
    test: [
      "sh",
      "-c",
      `java -cp "target/classes:target/test-classes:$(cat target/classpath)" \\
        org.junit.platform.console.ConsoleLauncher execute \\
        --scan-classpath=target/test-classes --details=testfeed --disable-banner --disable-ansi-colors`,
    ],
    read: byPattern(/^JUnit Jupiter > (?<name>.+) :: (?:(?<ok>SUCCESSFUL)|FAILED|ABORTED|SKIPPED)/),
  },
  typescript: {
    name: "TypeScript",
    needs: [],
    build: (contract) => [
      generate("typescript", contract),
      ["tsc", "--project", folder("typescript")],
    ],
    test: ["vitest", "run", "--config", "vitest.config.ts", "--reporter", "tap-flat"],
    read: byPattern(/^(?:(?<ok>ok)|not ok) \d+ - (?<name>.+?)(?: # .*)?$/),
  },
};
