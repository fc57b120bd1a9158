import { basename, relative } from "node:path";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { AdminService, Plan } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { scopes } from "../access/scopes.ts";
import { createTrail, type LogEntry } from "../audit/audit-log.ts";
import { thisOperator } from "../audit/this-operator.ts";
import { present } from "../common/present.ts";
import type { EffectiveSetting } from "../config/sources.ts";
import { auditLine, writeLine } from "../observability/log/lines.ts";
import type { Log } from "../observability/log/log.ts";
import { operatorTransport } from "../services/services.ts";
import { sampleItems } from "../stores/memory/sample.ts";
import type { Stores } from "../stores/stores.ts";

interface WelcomeOptions {
  readonly url: string;
  /** The settings of Redis, without passwords; undefined if the data is in this process. */
  readonly redis: readonly Pick<EffectiveSetting, "name" | "value">[] | undefined;
  /** Whether to load sample data if there is no data. */
  readonly withSample: boolean;
}

/** Prints where the service is, and what to do next. */
export async function printWelcome(
  stores: Stores,
  log: Log,
  options: WelcomeOptions,
): Promise<void> {
  // The program that reads may have ended. The log has its own listener.
  process.stdout.on("error", () => {});
  const { url, redis, withSample } = options;
  // The sample in memory is nobody's act: nothing shows it above the text.
  const logEntry = redis ? auditLine(log) : () => {};
  const sample = withSample ? await loadSample(stores, logEntry) : undefined;
  const parts = [`Inventory service on ${url}`];
  if (!redis) {
    parts.push("All data is lost when this process ends. Set REDIS_URL to keep the data in Redis.");
  }
  if (withSample && !sample) parts.push("Redis has data already, so no sample data was loaded.");
  parts.push(`Console:       ${url}/\nDocumentation: ${url}/docs`);
  parts.push(sample ? firstCall(await sample.createKey(), url) : await firstSteps(stores, redis));
  if (sample && redis)
    parts.push("Save the key: it is shown only once. Revoke it when you no longer need it.");
  process.stdout.write(`${parts.join("\n\n")}\n\n`);
}

/** Loads sample data if there is no data, and prints nothing: the log says whether. It does not get a key. */
export async function loadSampleQuietly(stores: Stores, log: Log): Promise<void> {
  const sample = await loadSample(stores, auditLine(log));
  if (sample) writeLine(log, "sampleLoaded", { accountId: sample.accountId });
  else writeLine(log, "sampleNotLoaded", {});
}

/** Loads sample data and an account; undefined if there is data already. Of several processes at once, one succeeds. */
async function loadSample(stores: Stores, logEntry: LogEntry) {
  if (!(await readState(stores)).isEmpty) return undefined;
  const trail = createTrail(stores, logEntry);
  const operator = thisOperator(process.env);
  const transport = operatorTransport(stores, operator, { trail });
  const catalog = createClient(CatalogService, transport);
  const admin = createClient(AdminService, transport);
  for (const pet of sampleItems) {
    try {
      await catalog.createPet(pet);
    } catch (error) {
      // Another process has created the pet in the meantime.
      if (ConnectError.from(error).code === Code.AlreadyExists) return undefined;
      throw error;
    }
  }
  const { account } = await admin.createAccount({ name: "sample", plan: Plan.BUSINESS });
  const { accountId } = present(account, "the created account");
  return {
    accountId,
    createKey: async () => (await admin.createKey({ accountId, scopes: [...scopes] })).secret,
  };
}

function firstCall(key: string, url: string): string {
  return `Sign in to the console with this key, or use it in another terminal:
  export INVENTORY_API_KEY=${key}
  curl -w '\\n' -H "Authorization: Bearer $INVENTORY_API_KEY" ${url}/v1/inventory`;
}

async function firstSteps(
  stores: Stores,
  redis: NonNullable<WelcomeOptions["redis"]> = [],
): Promise<string> {
  const isNpm = /^(?:start|inventory)$/.test(process.env.npm_lifecycle_event ?? "");
  const program = process.argv[1] ?? "";
  const isInstalled = basename(program).startsWith("inventory");
  const commandLine = relative("", program).replace(/(?:cli\/)?start\.js$/, "cli/start.js");
  const node = isInstalled ? "inventory" : `node ${commandLine}`;
  const command = isNpm ? "npm run --silent inventory --" : node;
  // The redacted password would be wrong.
  const canExport = redis.every(({ value }) => /^[\w:/.,-]+$/.test(value ?? ""));
  const settings = redis.map(({ name, value }) => `\n  export ${name}=${value}`).join("");
  const where = `in another terminal${canExport ? `:${settings}` : ", with the same settings of Redis:"}`;
  const createKey = `${command} keys create ID`;
  // If Redis does not respond just now, the text is that for a service in use.
  const state = await readState(stores).catch(() => ({ hasAccounts: true, isEmpty: false }));
  if (state.hasAccounts) {
    return `Sign in to the console with an API key. To create another key, ${where}
  ${command} accounts list
  ${createKey}`;
  }
  const steps = `There is no account yet. Create one and its API key, ${where}
  ${command} accounts create --name 'My shop' --plan free
  ${createKey}`;
  if (!state.isEmpty) return steps;
  const start = isNpm ? "npm start -- --with-sample" : "the option --with-sample";
  return `${steps}\n\nOr try it with sample data and a key: stop the service, and start it with ${start}`;
}

async function readState({ accounts, audit, inventory }: Stores) {
  const [first, stock, trail] = await Promise.all([
    accounts.listAccounts(undefined, 1),
    inventory.page(undefined, 1),
    audit.read(undefined, 1),
  ]);
  const hasAccounts = first.accounts.length > 0 || first.next !== undefined;
  const hasStock = stock.items.length > 0 || stock.version > 0n;
  return { hasAccounts, isEmpty: !(hasAccounts || hasStock || trail.entries.length > 0) };
}
