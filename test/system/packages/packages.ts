import { execFileSync } from "node:child_process";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { type Command, goFlags, shortLivedJava } from "../clients/languages.ts";

const { version } = manifest;

/** The folders of a test: the project's root, the empty project, and one for what is built. */
export interface Folders {
  readonly root: string;
  readonly project: string;
  readonly built: string;
}

/** A command, run in the project's root unless it says otherwise. */
export interface Step {
  readonly command: Command;
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A program of the empty project. `samples` runs the samples of the reference page. */
export type Program = "exercise" | "readme" | "samples";

/** How the client of a language is packed, installed into an empty project, and run. */
export interface Package {
  readonly name: string;
  /** The protocol version of the clients. */
  readonly http: "http1" | "http2";
  /** Commands that may use the network: they fetch what the later ones use. */
  readonly warmUp: (folders: Folders) => readonly Step[];
  /** Commands that build the package, install it and compile the programs that use it, without the network. */
  readonly install: (folders: Folders) => readonly Step[];
  /** Files of the empty project: from its path to that below `test/system/packages/<language>`. */
  readonly files: Readonly<Record<string, string>>;
  readonly readmeProgram: string;
  /** Makes a program of the other code in the README, which is compiled and not run: its file and text. */
  readonly readmeExcerpts: (blocks: readonly string[]) => readonly [file: string, text: string];
  readonly run: (program: Program, folders: Folders) => Step;
  /** How the retry rules are checked. */
  readonly rules: {
    /** Files in addition to `files`. */
    readonly files: Readonly<Record<string, string>>;
    readonly run: (folders: Folders) => Step;
  };
  /** How the samples of the reference page become parts of one program, so that one process runs all of them. */
  readonly samples: {
    /** The name of the language on the reference page. */
    readonly name: string;
    readonly fileOf: (id: string) => string;
    readonly adapt: (sample: string, id: string) => string;
    /**
     * The program: its file and text. It reads `ID KEY` pairs, separated by commas, from SAMPLES. It runs each sample
     * with its key in INVENTORY_API_KEY, and prints `done ID` after each one that works.
     */
    readonly program: (ids: readonly string[]) => readonly [file: string, text: string];
  };
}

const client = (language: string, { root }: Folders) => join(root, "clients", language);

/** The dependencies of the npm package, from the project's own node_modules. */
const npmDependencies = [
  "@bufbuild/protobuf",
  "@connectrpc/connect",
  "@connectrpc/connect-web",
  "@types/node",
  "undici-types",
];

export const packages: Readonly<Record<string, Package>> = {
  typescript: {
    name: "TypeScript",
    http: "http1",
    warmUp: () => [],
    install: (folders) => [
      {
        command: [
          ...(["npm", "pack", "--silent", "--pack-destination", folders.built] as const),
          ...npmDependencies.map((name) => join(folders.root, "node_modules", name)),
          client("typescript", folders),
        ],
      },
      {
        command: ["sh", "-c", `npm install --offline --no-audit ${folders.built}/*.tgz`],
        cwd: folders.project,
      },
      { command: ["tsc", "-p", "."], cwd: folders.project },
    ],
    files: {
      "package.json": "package.json",
      "tsconfig.json": "tsconfig.json",
      "exercise.ts": "exercise.ts",
    },
    readmeProgram: "readme.ts",
    // The other block is an option for a package that is not installed here.
    readmeExcerpts: ([holds = ""]) => [
      "excerpts.ts",
      `import type { InventoryClient } from "@inventory-service/client";
declare const client: InventoryClient;
declare function pay(): Promise<string>;
${holds}
export {};
`,
    ],
    run: (program, { root }) => ({
      command: [program === "exercise" ? process.execPath : "node", `${program}.js`],
      environment: { PATH: pathWithTools(root) },
    }),
    samples: {
      name: "TypeScript",
      fileOf: (id) => `${id}.ts`,
      adapt: (sample) => sample,
      program: () => [
        "samples.ts",
        `for (const pair of (process.env.SAMPLES ?? "").split(",")) {
  const [id, key] = pair.split(" ");
  process.env.INVENTORY_API_KEY = key;
  try {
    await import(\`./\${id}.js\`);
    console.log("done", id);
  } catch (error) {
    console.log(id, error);
  }
}
export {};
`,
      ],
    },
    rules: {
      files: { "retry-rules.ts": "retry-rules.ts", "browser.ts": "browser.ts" },
      run: () => ({ command: [process.execPath, "retry-rules.js"] }),
    },
  },
  go: {
    name: "Go",
    http: "http1",
    warmUp: (folders) => [
      { command: ["go", "mod", "download", "all"], cwd: client("go", folders) },
    ],
    install: (folders) => [
      {
        command: [
          ...(["go", "run", join(import.meta.dirname, "go/pack/main.go")] as const),
          ...[client("go", folders), "inventory.example/client", `v${version}`, goProxy(folders)],
        ],
      },
      { command: ["sh", "-c", "[ -e go.mod ] || go mod init shop"], cwd: folders.project },
      {
        command: ["go", "get", `inventory.example/client@v${version}`],
        cwd: folders.project,
        environment: goOffline(folders),
      },
      {
        command: ["go", "build", "-o", "bin/", "./..."],
        cwd: folders.project,
        environment: goOffline(folders),
      },
      {
        command: ["go", "test", "-c", "-o", join(folders.project, "bin/retry-rules"), "."],
        cwd: client("go", folders),
        environment: { GOFLAGS: goFlags },
      },
    ],
    files: { "exercise/main.go": "exercise/main.go" },
    readmeProgram: "readme/main.go",
    readmeExcerpts: ([holds = ""]) => [
      "excerpts/main.go",
      `package main

import (
	"context"

	inventory "inventory.example/client"
	storev1 "inventory.example/client/gen/store/v1"
)

func pay(context.Context) error { return nil }

func main() {
	ctx, client := context.Background(), inventory.New("", "")
	${holds}
	_, _ = hold, err
}
`,
    ],
    run: (program) => ({ command: [`bin/${program}`] }),
    rules: {
      files: {},
      run: (folders) => ({
        command: [join(folders.project, "bin/retry-rules")],
        cwd: client("go", folders),
      }),
    },
    samples: {
      name: "Go",
      fileOf: (id) => `${id}/main.go`,
      adapt: (sample, id) =>
        sample.replace("package main", `package ${id}`).replace("func main()", "func Run()"),
      program: (ids) => [
        "samples/main.go",
        `package main

import (
	"fmt"
	"os"
	"strings"

${ids.map((id) => `	"shop/${id}"`).join("\n")}
)

var samples = map[string]func(){
${ids.map((id) => `	"${id}": ${id}.Run,`).join("\n")}
}

func main() {
	for pair := range strings.SplitSeq(os.Getenv("SAMPLES"), ",") {
		id, key, _ := strings.Cut(pair, " ")
		os.Setenv("INVENTORY_API_KEY", key)
		samples[id]()
		fmt.Println("done", id)
	}
}
`,
      ],
    },
  },
  python: {
    name: "Python",
    http: "http2",
    warmUp: () => [
      { command: ["pip", "download", "--quiet", "--dest", wheels, "--requirement", requirements] },
    ],
    install: (folders) => [
      // Without pip, whose installation would take half of the time. The system's pip installs into the environment.
      {
        command: [
          ...(["python3", "-m", "venv", "--clear", "--without-pip"] as const),
          join(folders.project, ".venv"),
        ],
      },
      pip(folders, "--requirement", requirements),
      // As a release does: the wheel is made of the sdist, outside the clone.
      {
        command: [
          join(folders.project, ".venv/bin/python"),
          ...["-m", "hatchling", "build", "--target", "sdist", "--directory", folders.built],
        ],
        cwd: client("python", folders),
      },
      // PyPI shows the README by itself, without the files that relative links name.
      {
        command: ["sh", "-c", "! tar -xzOf *.tar.gz --wildcards '*/PKG-INFO' | grep -F '](.'"],
        cwd: folders.built,
      },
      {
        command: ["sh", "-c", `"$@" ${folders.built}/*.tar.gz`, "sh", ...pipFor(folders), ...wheel],
        cwd: folders.built,
      },
      {
        ...pip(folders, "inventory-service-client"),
        environment: { PIP_FIND_LINKS: folders.built },
      },
      // The types of the package, and of the programs that use it. The retry rules import grpc, which has no types.
      mypy(folders, client("python", folders)),
      {
        command: [
          "sh",
          "-c",
          ".venv/bin/mypy --no-error-summary --strict $(ls *.py | grep -v retry_rules.py)",
        ],
        cwd: folders.project,
      },
    ],
    files: { "exercise.py": "exercise.py" },
    readmeProgram: "readme.py",
    readmeExcerpts: ([asyncio = "", holds = ""]) => [
      "excerpts.py",
      `from inventory_client import AdjustInventoryRequest, AsyncClient, Client, HoldItem, PutHoldRequest


def pay() -> None: ...


async def asyncio(url: str, key: str) -> None:
${asyncio.replaceAll(/^/gm, "    ")}

def holds(client: Client) -> None:
${holds.replaceAll(/^/gm, "    ")}
`,
    ],
    run: (program) => ({ command: [".venv/bin/python", `${program}.py`] }),
    rules: {
      files: { "retry_rules.py": "retry_rules.py" },
      run: () => ({ command: [".venv/bin/python", "retry_rules.py"] }),
    },
    samples: {
      name: "Python",
      fileOf: (id) => `${id}.py`,
      adapt: (sample) => sample,
      program: () => [
        "samples.py",
        `import os
import runpy
import traceback

for pair in os.environ["SAMPLES"].split(","):
    id, os.environ["INVENTORY_API_KEY"] = pair.split(" ")
    try:
        runpy.run_path(f"{id}.py")
        print("done", id)
    except Exception:
        print(id, traceback.format_exc())
`,
      ],
    },
  },
  java: {
    name: "Java",
    http: "http2",
    warmUp: (folders) => javaSteps(folders, []),
    install: (folders) => javaSteps(folders, ["--offline"]),
    files: { "pom.xml": "pom.xml", "src/main/java/Exercise.java": "src/Exercise.java" },
    readmeProgram: "src/main/java/Readme.java",
    readmeExcerpts: ([holds = ""]) => [
      "src/main/java/Excerpts.java",
      `import example.inventory.client.InventoryClient;
import example.store.v1.HoldItem;
import example.store.v1.PutHoldRequest;

final class Excerpts {
  static String pay() {
    return "";
  }

  static void hold(InventoryClient client) throws Exception {
${holds}
  }
}
`,
    ],
    run: (program) => javaClass(`${program[0]?.toUpperCase()}${program.slice(1)}`),
    rules: {
      // In the package of the client, because the rules are not public.
      files: { "src/main/java/example/inventory/client/RetryRules.java": "src/RetryRules.java" },
      run: () => javaClass("example.inventory.client.RetryRules"),
    },
    samples: {
      name: "Java",
      fileOf: (id) => `src/main/java/${id}.java`,
      // A public class needs the name of its file, and a process cannot change its environment.
      adapt: (sample, id) =>
        sample
          .replace("class Sample", `class ${id}`)
          .replace('System.getenv("INVENTORY_API_KEY")', 'System.getProperty("INVENTORY_API_KEY")'),
      program: () => [
        "src/main/java/Samples.java",
        `public final class Samples {
  public static void main(String[] args) {
    for (var pair : System.getenv("SAMPLES").split(",")) {
      var parts = pair.split(" ");
      System.setProperty("INVENTORY_API_KEY", parts[1]);
      try {
        var main = Class.forName(parts[0]).getMethod("main", String[].class);
        main.invoke(null, (Object) new String[0]);
        System.out.println("done " + parts[0]);
      } catch (ReflectiveOperationException exception) {
        System.out.println(parts[0] + " " + exception.getCause());
      }
    }
  }
}
`,
      ],
    },
  },
};

/** The PATH with the project's TypeScript, but with the system's Node.js before the project's own. */
function pathWithTools(root: string): string {
  const own = join(root, "node_modules/.bin");
  const others = (process.env.PATH ?? "")
    .split(":")
    .filter((path) => !path.includes("node_modules"));
  return [...others, own].join(":");
}

const goProxy = ({ built }: Folders) => join(built, "proxy");

/** Takes the client from the folder where it was packed, and its dependencies from the cache. */
function goOffline(folders: Folders): Record<string, string> {
  const cache = execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim();
  return {
    GOPROXY: `file://${goProxy(folders)},file://${cache}/cache/download`,
    GOSUMDB: "off",
    GOFLAGS: `-mod=mod -modcacherw ${goFlags}`,
    // A new one, because the shared one may have an earlier build of the same version.
    GOMODCACHE: join(folders.built, "modules"),
  };
}

const requirements = join(import.meta.dirname, "python/requirements.txt");
const wheels = join(import.meta.dirname, "python/.wheels");

/** Arguments of pip that build a wheel of a package without the network. */
const wheel = ["wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"];

function pipFor({ project }: Folders): Command {
  return ["python3", "-m", "pip", "--python", join(project, ".venv/bin/python")];
}

/** Installs packages without the network. */
function pip(folders: Folders, ...packages: readonly string[]): Step {
  const options = ["--quiet", "--no-compile", "--no-index", "--find-links", wheels];
  return { command: [...pipFor(folders), "install", ...options, ...packages] };
}

function mypy({ project }: Folders, cwd: string, ...args: readonly string[]): Step {
  return { command: [join(project, ".venv/bin/mypy"), "--no-error-summary", ...args], cwd };
}

function javaClass(name: string): Step {
  return {
    command: [
      "sh",
      "-c",
      `exec java ${shortLivedJava.join(" ")} -cp "target/classes:$(cat target/classpath)" ${name}`,
    ],
  };
}

const shortLived = { MAVEN_OPTS: shortLivedJava.join(" ") };

/** Puts the client into Maven's local repository as a release does, and compiles the project with it. */
function javaSteps(folders: Folders, options: readonly string[]): readonly Step[] {
  return [
    {
      command: [join(import.meta.dirname, "java/install.sh"), ...options],
      cwd: client("java", folders),
      environment: shortLived,
    },
    {
      command: [
        ...(["mvn", "--quiet", "--batch-mode", ...options, "compile"] as const),
        ...["dependency:build-classpath", "-Dmdep.outputFile=target/classpath"],
      ],
      cwd: folders.project,
      environment: shortLived,
    },
  ];
}
