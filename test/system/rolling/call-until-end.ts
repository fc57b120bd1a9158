import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** Number of concurrent calls. */
const workers = 8;

/** Makes calls until standard input ends, then prints how many succeeded, and the errors of the others. */
export async function callUntilEnd(call: () => Promise<unknown>): Promise<void> {
  let ok = 0;
  const lost: string[] = [];
  let isStopped = false;

  async function work(): Promise<void> {
    while (!isStopped) {
      await call().then(
        () => {
          ok += 1;
        },
        (error) => lost.push(String(error)),
      );
      await delay(Number(process.env.PAUSE_MS));
    }
  }

  const all = Promise.all(Array.from({ length: workers }, work));
  process.stdin.resume();
  await once(process.stdin, "end");
  isStopped = true;
  await all;
  process.stdout.write(`${JSON.stringify({ ok, lost })}\n`);
}
