import { createStore, useStore } from "./store.ts";

/** The parts of the URL's hash: `#/stock/7?sort=quantity` is `["stock", "7"]`. */
export type Route = readonly string[];

interface Place {
  readonly route: Route;
  readonly query: URLSearchParams;
}

function readHash(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const route = path
    .split("/")
    .filter((part) => part !== "")
    .map((part) => decodePart(part));
  return { route, query: new URLSearchParams(query) };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const place = createStore(readHash());
addEventListener("hashchange", () => place.set(readHash()));

/** Returns the route, and renders the component again when it changes. */
export function useRoute(): Route {
  return useStore(place).route;
}

/** Returns the query of the hash, such as `sort=quantity`, and renders the component again when it changes. */
export function useRouteQuery(): URLSearchParams {
  return useStore(place).query;
}

/** Goes to a route, such as `/stock/7`. */
export function goTo(path: string): void {
  location.hash = path;
}

/**
 * Sets values of the query, and removes those that are empty. The route stays.
 *
 * @param change `replaceState` while the user types, so that Back does not return to each of the values
 */
export function setRouteQuery(
  values: Readonly<Record<string, string>>,
  change: "pushState" | "replaceState" = "pushState",
): void {
  const query = new URLSearchParams(place.get().query);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  const [path] = location.hash.split("?");
  const hash = `${path || "#/"}${query.size > 0 ? "?" : ""}${query}`;
  if (hash === location.hash) return;
  history[change](null, "", hash);
  place.set(readHash());
}
