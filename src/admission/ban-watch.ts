import type { Ban } from "../stores/admission-store.ts";

/** Most bans whose end is awaited. */
const maxOpenBans = 1_000;

/** A ban that this process has caused by refusing a request. */
export interface KeyBan extends Ban {
  readonly accountId: string;
  readonly keyId: string;
}

/** Follows the bans of keys. */
export interface BanWatch {
  /** @param endsInMs the length of the ban, in milliseconds */
  banned(ban: KeyBan, endsInMs: number): void;
  /** A request of the key was admitted, so a ban of the key has been lifted. */
  admitted(keyId: string): void;
}

export interface BanEvents {
  onBan(ban: KeyBan): void;
  /** Called when a ban is over, for at most 1,000 at a time. @param how `lifted` when the key was admitted before its end */
  onEnd(ban: KeyBan, how: "lifted" | "ended"): void;
}

/** Follows the bans that this process has caused. Bans by other processes are not known here. */
export function createBanWatch({ onBan, onEnd }: BanEvents): BanWatch {
  const open = new Map<string, { readonly ban: KeyBan; readonly timer: NodeJS.Timeout }>();

  function end(keyId: string, how: "lifted" | "ended"): void {
    const entry = open.get(keyId);
    if (!entry) return;
    clearTimeout(entry.timer);
    open.delete(keyId);
    onEnd(entry.ban, how);
  }

  return {
    banned(ban, endsInMs) {
      const { keyId } = ban;
      // A former ban has been lifted. Otherwise its timer would have ended it.
      end(keyId, "lifted");
      onBan(ban);
      if (open.size >= maxOpenBans) return;
      open.set(keyId, { ban, timer: setTimeout(end, endsInMs, keyId, "ended").unref() });
    },
    admitted(keyId) {
      if (open.size > 0) end(keyId, "lifted");
    },
  };
}
