import { banForgivenessMs, banLadderMs, minRefusalsBeforeBan } from "../access/bans.ts";
import type { Limits } from "../access/plans.ts";
import { refusalWindow } from "../access/windows.ts";
import {
  addRequests,
  emptyWindow,
  liveBuckets,
  total,
  type WindowState,
} from "./sliding-window.ts";

/** What is remembered of a key's refused requests. */
export interface Conduct {
  refusals: WindowState;
  /** Time of the last refusal, which time never goes back behind. */
  refusedAt: number;
  /** Bans in a row; how many of them count is decided at the next. */
  level: number;
  bannedUntil: number;
}

/** A key that was never refused. */
export function newConduct(): Conduct {
  return { refusals: emptyWindow, refusedAt: 0, level: 0, bannedUntil: 0 };
}

/** Records a refused request, and bans the key when there were too many. */
export function recordRefusal(conduct: Conduct, limits: Limits, clock: number): void {
  const now = Math.max(conduct.refusedAt, clock);
  const live = liveBuckets(refusalWindow, conduct.refusals, now);
  conduct.refusals = addRequests(refusalWindow, live, now, 1);
  conduct.refusedAt = now;
  if (total(conduct.refusals) <= Math.max(minRefusalsBeforeBan, limits.perMinute)) {
    return;
  }
  const clean = Math.floor((clock - conduct.bannedUntil) / banForgivenessMs);
  conduct.level = Math.min(Math.max(conduct.level - clean, 0) + 1, banLadderMs.length);
  conduct.bannedUntil = clock + (banLadderMs[conduct.level - 1] ?? 0);
  conduct.refusals = emptyWindow;
  conduct.refusedAt = 0;
}
