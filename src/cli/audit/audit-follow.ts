import { setTimeout as delay } from "node:timers/promises";
import type { Environment } from "../environment.ts";
import { type Followed, type FollowOptions, followToFiles, lostError } from "../follow/follow.ts";
import type { LineFiles, RecordLine } from "../follow/line-files.ts";
import { printResult } from "../output/output.ts";
import { withSession } from "../session/session.ts";
import {
  auditLine,
  auditLines,
  parseAuditLine,
  readAfter,
  type TrailService,
} from "./audit-lines.ts";

/** The time between two reads while the trail does not change, in milliseconds. */
const pollMs = 1_000;

/** Most entries of one read. */
const pageSize = 100;

/**
 * Writes every entry of the audit trail to files of a directory, starting after the last entry in the files.
 *
 * @throws CommandError if the service has removed some of these entries, or has another trail
 */
export async function followTrail(
  environment: Environment,
  directory: string,
  options: FollowOptions,
): Promise<void> {
  const { number, written, path } = await followToFiles(
    environment,
    directory,
    options,
    auditLines,
    (work) => withSession(environment, {}, ({ admin }) => work((files) => trailOf(admin, files))),
  );
  await printResult(environment, {
    json: () =>
      `{"written":${written},"sequence":${number},"file":${JSON.stringify(path ?? null)}}`,
    text: () =>
      `wrote ${written} ${written === 1 ? "entry" : "entries"}, up to entry ${number}${path === undefined ? "" : `, to ${path}`}`,
  });
}

function trailOf(service: TrailService, { last }: LineFiles): Followed {
  /** The hash of the last entry that was read; undefined after a gap. */
  let hash = last && parseAuditLine(last.text)?.hash;

  const replaced = (sequence: bigint) =>
    lostError(
      `the files end with entry ${sequence} of another audit trail: the trail was replaced, restored or changed. Use another directory`,
    );

  async function since(sequence: bigint, most: number) {
    const { entries, ends } = await readAfter(service, sequence, most);
    const total = ends.newest - Number(sequence);
    if (total < 0) throw replaced(sequence);
    if (ends.oldest > sequence + 1n) {
      hash = undefined;
      return undefined;
    }
    const before = entries[0]?.previous ?? ends.hash;
    if (hash !== undefined && before !== hash) throw replaced(sequence);
    hash = entries.at(-1)?.hash ?? hash;
    return { lines: entries.map(auditLine), total };
  }

  function read() {
    const closed = new AbortController();
    return {
      async next(sequence: bigint): Promise<readonly RecordLine[] | undefined> {
        const found = await since(sequence, pageSize);
        if (found?.lines.length === 0) {
          await delay(pollMs, undefined, { signal: closed.signal }).catch(() => {});
        }
        return found?.lines;
      },
      close: () => closed.abort(),
    };
  }

  return {
    words: { records: "entries", number: "entry", setting: "AUDIT_LENGTH" },
    async start() {
      const { ends } = await readAfter(service, 0n, 1);
      return BigInt(ends.oldest - 1);
    },
    since,
    read,
    replaced,
  };
}
