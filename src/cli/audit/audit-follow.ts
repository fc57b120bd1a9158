import type { Environment } from "../environment.ts";
import { type Followed, type FollowOptions, followToFiles, lostError } from "../follow/follow.ts";
import type { LineFiles } from "../follow/line-files.ts";
import type { Session } from "../session/clients.ts";
import { required, withSession } from "../session/session.ts";
import { auditLines, entryLine, storedEntry } from "./audit-lines.ts";

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
  await followToFiles({ environment, directory, options, kind: auditLines }, (work) =>
    withSession(environment, (session) => work((files) => trailOf(session, files))),
  );
}

function trailOf({ admin }: Session, { last }: LineFiles): Followed {
  let lastLine = last?.text;

  /** Reads the entries after a number, oldest first, and where the trail begins and ends. */
  async function readAfter(afterSequence: bigint, pageSize: number) {
    const { entries, trail } = await admin.listAuditEntries({ afterSequence, pageSize });
    const { oldestSequence: oldest, newestSequence: newest } = required(trail);
    return { lines: entries.map((entry) => entryLine(storedEntry(entry))), oldest, newest };
  }

  const replaced = (sequence: bigint) =>
    lostError(
      `the files end with entry ${sequence} of another audit trail: the trail was replaced, restored or changed. Use another directory`,
    );

  return {
    start: async () => (await readAfter(0n, 1)).oldest - 1n,
    async since(sequence, most) {
      // With the entry that was written last, which shows that it is the same trail.
      const first = sequence === 0n ? 0n : sequence - 1n;
      const { lines, oldest, newest } = await readAfter(first, most + 1);
      const total = Number(newest - sequence);
      if (total < 0) throw replaced(sequence);
      if (oldest > sequence + 1n) return undefined;
      const same = lines[0]?.from === sequence ? lines.shift() : undefined;
      if (same && lastLine?.startsWith('{"sequence"') && same.text !== lastLine) {
        throw replaced(sequence);
      }
      lastLine = lines.at(-1)?.text ?? lastLine;
      return { lines, total };
    },
    replaced,
  };
}
