import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Command } from "../clients/languages.ts";

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

/** How the client of a language is packed, installed into an empty project, and run. */
export interface Package {
  readonly name: string;
  /** The protocol version of the clients. */
  readonly http: "http1" | "http2";
  /** Commands that may use the network: they fetch what the later ones use. */
  readonly warmUp: (folders: Folders) => readonly Step[];
  /** Commands that build the package and install it, without the network. */
  readonly install: (folders: Folders) => readonly Step[];
  /** Files of the empty project: from its path to that below `test/packages/<language>`. */
  readonly files: Readonly<Record<string, string>>;
  /** The file with the program of the README. */
  readonly readmeProgram: string;
  readonly run: (program: "exercise" | "readme", folders: Folders) => Step;
  /** How the retry rules are checked. */
  readonly rules: {
    /** Files in addition to `files`. */
    readonly files: Readonly<Record<string, string>>;
    readonly run: (folders: Folders) => Step;
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
    run: (program, { root }) => ({
      command: [program === "readme" ? "node" : process.execPath, `${program}.js`],
      environment: { PATH: pathWithTools(root) },
    }),
    rules: {
      files: { "retry-rules.ts": "retry-rules.ts" },
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
          ...[client("go", folders), "inventory.example/client", "v1.0.0", goProxy(folders)],
        ],
      },
      { command: ["go", "mod", "init", "shop"], cwd: folders.project },
      {
        command: ["go", "get", "inventory.example/client@v1.0.0"],
        cwd: folders.project,
        environment: goOffline(folders),
      },
    ],
    files: { "exercise/main.go": "exercise/main.go" },
    readmeProgram: "readme/main.go",
    run: (program, folders) => ({
      command: ["go", "run", `./${program}`],
      environment: goOffline(folders),
    }),
    rules: {
      files: {},
      run: (folders) => ({ command: ["go", "test", "-count=1", "."], cwd: client("go", folders) }),
    },
  },
  python: {
    name: "Python",
    http: "http2",
    warmUp: () => [
      {
        command: ["pip", "download", "--quiet", "--dest", wheels, "--requirement", requirements],
      },
    ],
    install: (folders) => [
      { command: ["python3", "-m", "venv", "--clear", join(folders.project, ".venv")] },
      pip(folders, "--requirement", requirements),
      {
        command: [
          ...([
            join(folders.project, ".venv/bin/python"),
            "-m",
            "pip",
            "wheel",
            "--quiet",
          ] as const),
          ...["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folders.built],
          client("python", folders),
        ],
      },
      {
        ...pip(folders, "inventory-service-client"),
        environment: { PIP_FIND_LINKS: folders.built },
      },
      // The types of the package, and of the programs that use it.
      mypy(folders, client("python", folders)),
      mypy(folders, folders.project, "--strict", "exercise.py", "readme.py"),
    ],
    files: { "exercise.py": "exercise.py" },
    readmeProgram: "readme.py",
    run: (program) => ({ command: [".venv/bin/python", `${program}.py`] }),
    rules: {
      files: { "retry_rules.py": "retry_rules.py" },
      run: () => ({ command: [".venv/bin/python", "retry_rules.py"] }),
    },
  },
  java: {
    name: "Java",
    http: "http2",
    warmUp: (folders) => javaSteps(folders, []),
    install: (folders) => javaSteps(folders, ["--offline"]),
    files: { "pom.xml": "pom.xml", "src/main/java/Exercise.java": "src/Exercise.java" },
    readmeProgram: "src/main/java/Readme.java",
    run: (program) => javaClass(program === "readme" ? "Readme" : "Exercise"),
    rules: {
      // In the package of the client, because the rules are not public.
      files: { "src/main/java/example/inventory/client/RetryRules.java": "src/RetryRules.java" },
      run: () => javaClass("example.inventory.client.RetryRules"),
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
    GOFLAGS: "-mod=mod -modcacherw",
    // A new one, because the shared one may have an earlier build of the same version.
    GOMODCACHE: join(folders.built, "modules"),
  };
}

const requirements = join(import.meta.dirname, "python/requirements.txt");
const wheels = join(import.meta.dirname, "python/.wheels");

/** Installs packages without the network. */
function pip({ project }: Folders, ...packages: readonly string[]): Step {
  return {
    command: [
      ...([join(project, ".venv/bin/python"), "-m", "pip", "install", "--quiet"] as const),
      ...["--no-index", "--find-links", wheels, ...packages],
    ],
  };
}

function mypy({ project }: Folders, cwd: string, ...args: readonly string[]): Step {
  return { command: [join(project, ".venv/bin/mypy"), "--no-error-summary", ...args], cwd };
}

function javaClass(name: string): Step {
  return {
    command: ["sh", "-c", `exec java -cp "target/classes:$(cat target/classpath)" ${name}`],
  };
}

/** Puts the client into Maven's local repository, and compiles the project with it. */
function javaSteps(folders: Folders, options: readonly string[]): readonly Step[] {
  return [
    {
      command: ["mvn", "--quiet", "--batch-mode", ...options, "install"],
      cwd: client("java", folders),
    },
    {
      command: [
        ...(["mvn", "--quiet", "--batch-mode", ...options, "compile"] as const),
        ...["dependency:build-classpath", "-Dmdep.outputFile=target/classpath"],
      ],
      cwd: folders.project,
    },
  ];
}
