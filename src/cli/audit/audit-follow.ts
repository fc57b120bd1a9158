import type { Environment } from "../environment.ts";
import { type Followed, type FollowOptions, followToFiles, lostError } from "../follow/follow.ts";
import type { LineFiles } from "../follow/line-files.ts";
import { withSession } from "../session/session.ts";
import { auditLine, auditLines, readAfter, type TrailService } from "./audit-lines.ts";

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
  await followToFiles(environment, directory, options, auditLines, (work) =>
    withSession(environment, ({ admin }) => work((files) => trailOf(admin, files))),
  );
}

function trailOf(service: TrailService, { last }: LineFiles): Followed {
  let lastLine = last?.text;

  const replaced = (sequence: bigint) =>
    lostError(
      `the files end with entry ${sequence} of another audit trail: the trail was replaced, restored or changed. Use another directory`,
    );

  async function since(sequence: bigint, most: number) {
    // With the entry that was written last, which shows that it is the same trail.
    const first = sequence === 0n ? 0n : sequence - 1n;
    const { entries, ends } = await readAfter(service, first, most + 1);
    const total = ends.newest - Number(sequence);
    if (total < 0) throw replaced(sequence);
    if (ends.oldest > sequence + 1n) return undefined;
    const lines = entries.map(auditLine);
    const same = lines[0]?.from === sequence ? lines.shift() : undefined;
    if (same && lastLine?.startsWith('{"sequence"') && same.text !== lastLine) {
      throw replaced(sequence);
    }
    lastLine = lines.at(-1)?.text ?? lastLine;
    return { lines, total };
  }

  return {
    async start() {
      const { ends } = await readAfter(service, 0n, 1);
      return BigInt(ends.oldest - 1);
    },
    since,
    replaced,
  };
}
