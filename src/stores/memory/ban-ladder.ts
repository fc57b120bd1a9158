import { banForgivenessMs, banLadderMs, minRefusalsBeforeBan } from "../../access/bans.ts";
import type { Limits } from "../../access/plans.ts";
import { refusalWindow } from "../../access/windows.ts";
import { addRequests, emptyWindow, total, type WindowState, windowAt } from "./sliding-window.ts";

/** A key's refused requests and bans. */
export interface BanState {
  refusals: WindowState;
  /** Consecutive bans. How many of them count is decided at the next ban. */
  level: number;
  bannedUntil: number;
}

/** Makes the state of a key that was never refused. */
export function newBanState(): BanState {
  return { refusals: emptyWindow, level: 0, bannedUntil: 0 };
}

/** Records a refused request, and bans the key after too many. */
export function recordRefusal(banState: BanState, limits: Limits, clock: number): void {
  banState.refusals = addRequests(windowAt(refusalWindow, banState.refusals, clock), 1);
  const refusals = total({ live: banState.refusals.buckets });
  if (refusals <= Math.max(minRefusalsBeforeBan, limits.perMinute)) return;
  const clean = Math.max(0, Math.floor((clock - banState.bannedUntil) / banForgivenessMs));
  banState.level = Math.min(Math.max(banState.level - clean, 0) + 1, banLadderMs.length);
  banState.bannedUntil = clock + (banLadderMs[banState.level - 1] ?? 0);
  banState.refusals = emptyWindow;
}
