/**
 * Makes docs/caller/console-race.png, the animation in README: two windows of the console change one pet, and one of them
 * loses the race. Run `npm run task pictures`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startChromium } from "../../harness/chromium.ts";
import { type Frame, joinFrames } from "./apng.ts";
import { startDemo } from "./demo.ts";
import { isComplete } from "./is-complete.ts";

const picture = join(import.meta.dirname, "../../../../docs/caller/console-race.png");

/** GitHub shows README at about this width, so that the texts have the size that they have in the console. */
const size = { width: 864, height: 716 };

/** Higher than the picture, so that the windows do not scroll. Messages at their bottom are not shown. */
const windowSize = { width: 424, height: 1_200 };

/** The height of the part of a window that is shown. */
const shownHeight = 640;

const petId = 4;
const [first, refused, second] = ["60", "75", "69"];

/** Adds a frame: pictures of both windows, from an element on, above the caption. */
type TakeFrame = (caption: string, milliseconds: number, element?: string) => Promise<void>;

async function race([till, office]: readonly [Page, Page], take: TakeFrame): Promise<void> {
  await take("Two windows of the console show the same pet.", 1_400);
  await edit(till, first);
  await edit(office, refused);
  await take("Both change its quantity at the same time.", 1_500);
  await save(till);
  await historyHas(till, "-7");
  await office.getByText(`${first} now`).first().waitFor();
  await take("The left one saves first. The right one sees it at once.", 1_800);
  await save(office);
  await office.getByRole("alert").waitFor();
  await take("The right one is refused: its change would undo the other.", 2_000);
  await office.getByLabel("New quantity").fill(second);
  await take("It checks the new quantity, and saves again.", 1_200);
  await save(office);
  await historyHas(till, "+9");
  await historyHas(office, "+9");
  await take(
    "Both changes are in the history. Nothing is lost.",
    2_000,
    "[aria-label='Stock now']",
  );
}

async function edit(page: Page, quantity: string): Promise<void> {
  await page.getByRole("button", { name: "Change the quantity" }).click();
  await page.getByLabel("New quantity").fill(quantity);
}

function save(page: Page): Promise<void> {
  return page.getByRole("button", { name: "Save" }).click();
}

function historyHas(page: Page, change: string): Promise<void> {
  return page.getByRole("cell", { name: change, exact: true }).waitFor();
}

async function openWindow(browser: Browser, url: string, key: string): Promise<Page> {
  const context = await browser.newContext({ viewport: windowSize, colorScheme: "light" });
  await context.addInitScript(`sessionStorage.setItem("inventory.api-key", "${key}")`);
  const page = await context.newPage();
  await page.goto(`${url}/#/stock/${petId}`);
  await isComplete(page);
  return page;
}

/** The page that shows pictures of both windows above the caption. */
function composed(pictures: readonly Buffer[], caption: string): string {
  const windows = pictures.map(
    (png) => `<img src="data:image/png;base64,${png.toString("base64")}">`,
  );
  return `<!doctype html><style>
    body { margin: 0; height: ${size.height}px; background: #dfe4ea; font: 600 22px system-ui, "Liberation Sans", sans-serif; }
    main { display: flex; gap: 8px; padding: 8px; }
    img { width: 420px; border-radius: 8px; }
    p { margin: 10px 0 0; text-align: center; color: #17202b; }
  </style><main>${windows.join("")}</main><p>${caption}</p>`;
}

/** Takes a picture of a window from an element on. */
async function takeWindow(page: Page, element: string): Promise<Buffer> {
  const top = await page.locator(element).first().boundingBox();
  const y = (top?.y ?? 0) - 16;
  return page.screenshot({ clip: { x: 0, y, width: windowSize.width, height: shownHeight } });
}

/** The smallest rectangle that contains all differences of two pictures. Runs in a page. */
const findChange = `async ([before, after]) => {
  const pixels = async (data) => {
    const image = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  };
  const [a, b] = [await pixels(before), await pixels(after)];
  let [left, top, right, bottom] = [${size.width}, ${size.height}, 0, 0];
  for (let at = 0; at < a.length; at++) {
    if (a[at] === b[at]) continue;
    const [x, y] = [at % ${size.width}, Math.floor(at / ${size.width})];
    [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}`;

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const demo = await startDemo();
const browser = await startChromium();
try {
  const windows = [
    await openWindow(browser, demo.url, demo.key),
    await openWindow(browser, demo.url, demo.key),
  ] as const;
  const composer = await browser.newPage({ viewport: size });
  const frames: Frame[] = [];
  let before: string | undefined;
  await race(windows, async (caption, milliseconds, element = "main h1") => {
    const pictures = await Promise.all(windows.map((page) => takeWindow(page, element)));
    await composer.setContent(composed(pictures, caption));
    const whole = (await composer.screenshot()).toString("base64");
    const change: Rectangle =
      before === undefined
        ? { x: 0, y: 0, ...size }
        : await composer.evaluate(`(${findChange})(${JSON.stringify([before, whole])})`);
    frames.push({ png: await composer.screenshot({ clip: change }), ...change, milliseconds });
    before = whole;
  });
  writeFileSync(picture, joinFrames(frames));
} finally {
  await browser.close();
  await demo.stop();
}
