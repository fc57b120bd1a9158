/** All scopes, in the order of their bits in a stored mask: append only. */
export const scopes = [
  "inventory:read",
  "inventory:write",
  "store:read",
  "store:write",
  "admin",
  "inventory:audit",
] as const;

/** What a key may do. */
export type Scope = (typeof scopes)[number];

/** Scopes of a key that was made without naming any: all but `inventory:audit` and `admin`. */
export const defaultScopes: readonly Scope[] = scopes.filter(
  (scope) => scope !== "inventory:audit" && scope !== "admin",
);

/** Is this the name of a scope? */
export function isScope(name: string): name is Scope {
  return (scopes as readonly string[]).includes(name);
}

/** Bit mask of a set of scopes. */
export function scopeMask(set: readonly Scope[]): number {
  return set.reduce((mask, scope) => mask | (1 << scopes.indexOf(scope)), 0);
}

/** Scopes of a bit mask. */
export function scopesOf(mask: number): Scope[] {
  return scopes.filter((_, bit) => (mask & (1 << bit)) !== 0);
}
