import { useEffect, useState } from "preact/hooks";
import { Markdown } from "./markdown.tsx";

/** The languages of the client packages. Each has a folder of that name, in lower case, in `clients`. */
export const packageLanguages = ["TypeScript", "Go", "Python", "Java"];

/** Returns the route of the page of a package. */
export function packageRoute(language: string): string {
  return `#/clients/${language.toLowerCase()}`;
}

/** Shows the README of a client package, or of all of them, from a heading on. */
export function PackagePage({
  name = "all",
  heading = "",
}: {
  /** The folder of the package in `clients`. */
  name: string | undefined;
  heading: string | undefined;
}) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => {
    void import("./package-texts.ts").then(({ packageTexts }) => setTexts(packageTexts));
  }, []);
  const text = texts[name];
  useEffect(() => {
    if (text && heading) document.getElementById(heading)?.scrollIntoView();
  }, [text, heading]);
  return (
    <div class="prose package">
      {text ? <Markdown text={text} linkOf={linkOf} /> : <p class="muted">Loading…</p>}
    </div>
  );
}

/** Returns the address for a link in a README; undefined for files that the server does not have. */
function linkOf(target: string): string | undefined {
  if (target.startsWith("https:")) return target;
  const found = /^(?:(?:\.\.\/|(\w+)\/)?README\.md)?(?:#(.*))?$/.exec(target);
  return found ? `#/clients/${found[1] ?? "all"}/${found[2] ?? ""}` : undefined;
}
