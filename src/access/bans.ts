/** Length of the first, second, … ban of a key, in milliseconds. The last one repeats. */
export const banLadderMs = [60_000, 300_000, 1_800_000, 7_200_000, 86_400_000] as const;

/** One step of the ladder is forgiven for each of these that passed since the last ban ended. */
export const banForgivenessMs = 86_400_000;

/** Refused requests within a minute that never lead to a ban, however small the limit. */
export const minRefusalsBeforeBan = 60;
