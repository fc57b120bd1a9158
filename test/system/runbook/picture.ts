/**
 * Makes docs/operator/metrics.png: the page of a real Prometheus that watched the service while its Redis hung and was started
 * again. Run `npm run task pictures` with Prometheus and Chromium installed.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startChromium } from "../harness/chromium.ts";
import { newDirectory } from "../harness/directory.ts";
import { type Fault, runDrill } from "./drill.ts";
import { startPrometheus } from "./prometheus.ts";

const picture = join(import.meta.dirname, "../../../docs/operator/metrics.png");

/** How long each part of the curve takes, in milliseconds. */
const partMs = 20_000;

/** Clients that send requests, one after another each. */
const clients = 10;

const expression =
  "sum by (http_response_status_code) (rate(http_server_request_duration_seconds_count[3s]))";

const directory = newDirectory();
const prometheus = await startPrometheus(directory);

async function takePicture(): Promise<void> {
  const browser = await startChromium();
  const page = await browser.newPage({ viewport: { width: 800, height: 900 } });
  const query = new URLSearchParams({
    "g0.expr": expression,
    "g0.tab": "0",
    "g0.range_input": "1m",
  });
  await page.goto(`${prometheus.url}/classic/graph?${query}`);
  await page.waitForSelector(".legend .line");
  await page.screenshot({ path: picture, clip: { x: 0, y: 100, width: 800, height: 768 } });
  await browser.close();
}

const hangingRedis: Fault = {
  name: "picture",
  async run(drill) {
    for (let client = 0; client < clients; client += 1) drill.load();
    await delay(partMs);
    drill.redis.pause();
    await delay(partMs);
    await drill.redis.kill();
    await drill.redis.start();
    await delay(partMs);
    await takePicture();
  },
};

const outcome = { fired: new Set<string>(), typed: new Set<string>(), cleared: new Set<string>() };
await runDrill(hangingRedis, prometheus, directory, outcome, () => {});
prometheus.stop();
