import { createStore, useStore } from "./store.ts";

/** The parts of the URL's hash: `#/stock/7` is `["stock", "7"]`. */
export type Route = readonly string[];

function readHash(): Route {
  return location.hash
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .map((part) => decodePart(part));
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const route = createStore<Route>(readHash());
addEventListener("hashchange", () => route.set(readHash()));

/** Returns the route, and renders the component again when it changes. */
export function useRoute(): Route {
  return useStore(route);
}

/** Goes to a route, such as `/stock/7`. */
export function goTo(path: string): void {
  location.hash = path;
}
