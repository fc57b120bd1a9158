/**
 * Runs the samples of the reference page with the client packages, each as a program of its own against a server.
 * To run only some languages: `npm run test:packages:samples -- go java`.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { AdminService, Plan } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import {
  sampleAccountId,
  sampleKeyId,
  sampleOrderId,
} from "../../src/api-docs/samples/requests.ts";
import { clientsHave, sampleLanguages } from "../../src/api-docs/samples/samples.ts";
import { run } from "../clients/command.ts";
import { clientOf, firstAdminKey } from "../clients/fixture.ts";
import { startServer } from "../clients/live-server.ts";
import { startRedisServer } from "../support/redis-server.ts";
import { type Folders, packages, type Step } from "./packages.ts";
import { exampleOf } from "./readme.ts";

const root = join(import.meta.dirname, "../..");

/** How the samples of a language are written into a project, compiled and run. */
interface Runner {
  /** The name of the language in {@link sampleLanguages}. */
  readonly name: string;
  readonly fileOf: (id: string) => string;
  /** Adapts a sample to its file. */
  readonly adapt?: (program: string, id: string) => string;
  /** Checks or compiles all samples. */
  readonly compile?: string;
  readonly run: (id: string) => string;
}

const runners: Readonly<Record<string, Runner>> = {
  typescript: {
    name: "TypeScript",
    fileOf: (id) => `${id}.ts`,
    compile: `${join(root, "node_modules/.bin/tsc")} -p .`,
    run: (id) => `exec node ${id}.js`,
  },
  go: {
    name: "Go",
    fileOf: (id) => `${id}/main.go`,
    compile: "go build -o bin/ ./...",
    run: (id) => `exec bin/${id}`,
  },
  python: {
    name: "Python",
    fileOf: (id) => `${id}.py`,
    compile: ".venv/bin/mypy --no-error-summary --strict *_sample.py",
    run: (id) => `exec .venv/bin/python ${id}.py`,
  },
  java: {
    name: "Java",
    fileOf: (id) => `src/main/java/${id}.java`,
    // A public class needs the name of its file.
    adapt: (program, id) => program.replace("class Sample", `class ${id}`),
    run: (id) => `exec java -cp "target/classes:$(cat target/classpath)" ${id}`,
  },
};

const methods = [InventoryService, StoreService, UsageService, AdminService]
  .flatMap(({ methods }) => methods)
  .filter(clientsHave);

/** The name of a program: `store_place_order_sample`. */
function idOf({ parent, name }: DescMethod): string {
  return `${parent.name}_${name}_sample`;
}

/** Returns the output of the first command that fails. */
async function runSteps(steps: readonly Step[]): Promise<string | undefined> {
  for (const { command, cwd = root, environment } of steps) {
    const { succeeded, output } = await run(command, cwd, environment);
    if (!succeeded) return `${command.join(" ")}\n${output}`;
  }
  return undefined;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** What a sample needs: an account with a key and an order, and the pets of the samples. */
interface Prepared {
  readonly accountId: string;
  readonly keyId: string;
  readonly secret: string;
  readonly orderId: bigint;
}

/** The sample of CreateItem adds pet 100, and that of RemoveItem, which comes later, removes it. */
async function prepare(url: string, adminKey: string): Promise<Prepared> {
  const admin = clientOf(url, AdminService, adminKey);
  const status = PetStatus.AVAILABLE;
  const items = [1n, 2n].map((petId) => ({ petId, quantity: 100, status }));
  await admin.importItems({ items });
  const limits = { perMinute: 1_000n, perDay: 1_000n };
  const { account } = await admin.createAccount({ name: "shop", plan: Plan.ENTERPRISE, limits });
  const accountId = account?.accountId ?? "";
  const { secret, key } = await admin.createKey({ accountId });
  const { order } = await clientOf(url, StoreService, secret).placeOrder({
    petId: 1n,
    quantity: 1,
  });
  return { accountId, keyId: key?.keyId ?? "", secret, orderId: order?.orderId ?? 0n };
}

/** Replaces the ids of a sample by those that exist. */
function withIds(program: string, { accountId, keyId, orderId }: Prepared): string {
  return program
    .replaceAll(sampleAccountId, accountId)
    .replaceAll(sampleKeyId, keyId)
    .replaceAll(sampleOrderId, String(orderId));
}

/** Runs all samples of a language. Returns the number of those that failed. */
async function testLanguage(language: string, url: string, adminKey: string): Promise<number> {
  const own = packages[language];
  const runner = runners[language];
  if (!own || !runner) throw new Error(`unknown language ${language}`);
  const scratch = await mkdtemp(join(tmpdir(), "inventory-samples-"));
  const folders: Folders = {
    root,
    project: join(scratch, "project"),
    built: join(scratch, "built"),
  };
  try {
    await mkdir(folders.built, { recursive: true });
    const readme = await readFile(join(root, "clients", language, "README.md"), "utf8");
    await write(join(folders.project, own.readmeProgram), exampleOf(readme).program);
    for (const [target, source] of Object.entries(own.files)) {
      await mkdir(dirname(join(folders.project, target)), { recursive: true });
      await copyFile(join(root, "test/packages", language, source), join(folders.project, target));
    }
    const prepared = new Map<DescMethod, Prepared>();
    const { sample, program } = sampleLanguages[runner.name] ?? {};
    if (!sample || !program) throw new Error(`no samples in ${runner.name}`);
    for (const method of methods) {
      const id = idOf(method);
      const facts = await prepare(url, adminKey);
      prepared.set(method, facts);
      const text = withIds(program(sample(method)), facts);
      await write(join(folders.project, runner.fileOf(id)), runner.adapt?.(text, id) ?? text);
    }
    const offline = await runSteps(own.install(folders));
    const fault =
      offline && ((await runSteps(own.warmUp(folders))) ?? (await runSteps(own.install(folders))));
    if (fault) return report(runner.name, "install", fault);
    const { environment = {} } = own.run("exercise", folders);
    if (runner.compile) {
      const { succeeded, output } = await run(
        ["sh", "-c", runner.compile],
        folders.project,
        environment,
      );
      if (!succeeded) return report(runner.name, "compile", output);
    }
    let failures = 0;
    for (const [method, { secret }] of prepared) {
      const key = method.parent === AdminService ? adminKey : secret;
      const { succeeded, output } = await run(
        ["sh", "-c", runner.run(idOf(method))],
        folders.project,
        { ...environment, INVENTORY_URL: url, INVENTORY_KEY: key },
      );
      failures += succeeded ? 0 : report(runner.name, method.name, output);
    }
    process.stdout.write(
      `${runner.name}: ${methods.length - failures} of ${methods.length} samples work\n`,
    );
    return failures;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function report(language: string, step: string, output: string): number {
  process.stdout.write(`FAIL ${language} ${step}:\n${output}\n`);
  return 1;
}

const languages = process.argv.slice(2);
const redis = await startRedisServer();
const server = await startServer({ REDIS_URL: redis.url });
try {
  const adminKey = firstAdminKey(redis.url);
  let failures = 0;
  for (const language of languages.length > 0 ? languages : Object.keys(runners)) {
    failures += await testLanguage(language, server.url, adminKey);
  }
  process.exitCode = failures > 0 ? 1 : 0;
} finally {
  await server.stop();
  await redis.stop();
}
