import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { AdminService, Plan } from "../../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import {
  ChangeReason,
  InventoryService,
  PetStatus,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { listen } from "../../support/listen.ts";
import { upload } from "../../support/stock.ts";
import { clientOf } from "../clients/fixture.ts";
import { startChromium } from "../harness/chromium.ts";
import { startDroppingProxy } from "../harness/dropping-proxy.ts";
import { type Check, equal } from "./check.ts";
import type { Installed } from "./installed.ts";
import type { Folders } from "./packages.ts";
import { startService } from "./running-service.ts";

const root = join(import.meta.dirname, "../../..");
const pet = 6_001n;
const adjustments = 20;

/** What the page returns. */
interface Results {
  readonly adjusted: readonly string[];
  readonly watched: readonly string[];
  readonly disconnects: number;
  readonly resets: number;
  readonly refused: unknown;
  readonly items: number;
  readonly account: string;
}

/** Bundles the program of the browser in a project that has the client. */
async function bundle({ project }: Folders): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(project, "browser.js")],
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
  });
  return outputFiles[0]?.text ?? "";
}

function startPage(script: string) {
  return createServer(({ url }, response) => {
    const [type, body] =
      url === "/page.js"
        ? ["text/javascript", script]
        : ["text/html", '<!doctype html><script type="module" src="/page.js"></script>'];
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  });
}

/**
 * Bundles the installed npm client into a page of another origin, and uses it in Chromium through a proxy that loses one
 * response in five.
 */
export async function testInBrowser({ folders }: Installed): Promise<Check[]> {
  const page = startPage(await bundle(folders));
  const origin = await listen(page);
  const server = await startService(root, { CORS_ORIGINS: origin });
  const proxy = await startDroppingProxy(server.url);
  const browser = await startChromium();
  try {
    const admin = clientOf(server.url, AdminService, server.adminKey);
    const pets = [pet, pet + 1n, pet + 2n].map((petId) => ({
      ...{ petId, quantity: 100, status: PetStatus.AVAILABLE },
    }));
    const catalog = clientOf(server.url, CatalogService, server.adminKey);
    await catalog.importPets(upload({ pets }));
    const { account } = await admin.createAccount({ name: "shop", plan: Plan.BUSINESS });
    const { secret } = await admin.createKey({ accountId: account?.accountId ?? "" });
    const inventory = clientOf(server.url, InventoryService, secret);

    const tab = await browser.newPage();
    await tab.exposeFunction("changeElsewhere", async () => {
      const { version } = await inventory.adjustInventory({ petId: pet, delta: 1, note: "last" });
      return String(version);
    });
    await tab.goto(origin);
    const task = { ...{ baseUrl: proxy.http1, apiKey: secret, petId: String(pet), adjustments } };
    const results: Results = await tab.evaluate(`exercise(${JSON.stringify(task)})`);

    const { changes } = await inventory.listItemChanges({ petId: pet, pageSize: 200 });
    const versions = changes
      .filter(({ reason }) => reason === ChangeReason.ADJUSTMENT)
      .map(({ version }) => String(version))
      .reverse();
    return [
      [`the proxy lost ${proxy.lost} responses of a page`, proxy.lost >= 4],
      equal(
        `each of ${adjustments + 1} changes of a page was made once`,
        results.adjusted,
        versions,
      ),
      equal("the watch of a page saw every change once, in order", results.watched, versions),
      [
        `the watch of a page resumed after ${results.disconnects} disconnects`,
        results.disconnects >= 1 && results.resets === 1,
        results,
      ],
      equal("an error in a page has its reason and metadata", results.refused, {
        ...{ reason: "PET_NOT_FOUND", petId: String(2n ** 63n - 1n) },
      }),
      ["pages of a list have every item once in a page", results.items >= pets.length, results],
      equal("usage in a page is that of the account", results.account, "shop"),
    ];
  } finally {
    await browser.close();
    proxy.stop();
    await server.stop();
    page.close();
    page.closeAllConnections();
  }
}
