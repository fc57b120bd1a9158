import { hostname, userInfo } from "node:os";
import type { Operator } from "../access/caller.ts";

/** Longest name of a user or host in the trail, in characters. */
const longestName = 100;

/** Returns the user that runs this process. @param env the environment, for the user of sudo */
export function thisOperator(env: NodeJS.ProcessEnv): Operator {
  const sudo = env.SUDO_USER?.slice(0, longestName);
  return {
    user: userName().slice(0, longestName),
    ...(sudo && { sudo }),
    host: hostname().slice(0, longestName),
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // The user has no entry in the password file, as in many containers.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
