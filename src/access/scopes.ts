/** All scopes, in the order of their bits in a stored mask: append only, at most 9. */
export const scopes = [
  "inventory:read",
  "inventory:write",
  "store:read",
  "store:write",
  "admin",
  "inventory:audit",
  "catalog:write",
] as const;

/** A permission of a key. */
export type Scope = (typeof scopes)[number];

/** Scopes of a key that is created without a list of scopes. */
export const defaultScopes: readonly Scope[] = scopes.filter(
  (scope) => scope !== "inventory:audit" && scope !== "catalog:write" && scope !== "admin",
);

const allScopes: ReadonlySet<Scope> = new Set(scopes);

/** Returns the permissions of a key. `admin` includes all others, because its keys can create keys with any scope. */
export function effectiveScopes(given: readonly Scope[]): ReadonlySet<Scope> {
  return given.includes("admin") ? allScopes : new Set(given);
}

export function isScope(name: string): name is Scope {
  return (scopes as readonly string[]).includes(name);
}

/** The bit of a stored mask for a key with networks. It makes the mask longer than any other, on which admission.lua relies. */
export const restrictedBit = 1 << 10;

export function scopeMask(set: readonly Scope[]): number {
  return set.reduce((mask, scope) => mask | (1 << scopes.indexOf(scope)), 0);
}

export function scopesOf(mask: number): Scope[] {
  return scopes.filter((_, bit) => (mask & (1 << bit)) !== 0);
}
