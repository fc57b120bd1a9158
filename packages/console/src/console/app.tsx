import { useEffect } from "preact/hooks";
import { afterDraft, DraftQuestion, guardLinks } from "./shared/draft.tsx";
import { identify } from "./shared/identity.ts";
import { KeyHelp } from "./shared/key-help.tsx";
import { useRoute } from "./shared/route.ts";
import { hasScope, session, setIdentity, signOut } from "./shared/session.ts";
import { SkipLink } from "./shared/skip-link.tsx";
import { useStore } from "./shared/store.ts";
import { ThemeToggle } from "./shared/theme-toggle.tsx";
import { Toasts } from "./shared/toasts.tsx";
import { useQuery } from "./shared/use-query.ts";
import { useTitle } from "./shared/use-title.ts";
import { SignIn } from "./sign-in.tsx";
import { views } from "./views.ts";

/** The console: the sign-in page, or the menu and a view. */
export function App() {
  const { key } = useStore(session);
  return (
    <>
      {key === undefined ? <SignIn /> : <SignedIn key={key} />}
      <DraftQuestion />
      <Toasts />
    </>
  );
}

function SignedIn() {
  const current = useStore(session);
  const [first = "", ...path] = useRoute();
  useIdentity();
  useEffect(() => {
    addEventListener("click", guardLinks, { capture: true });
    return () => removeEventListener("click", guardLinks, { capture: true });
  }, []);
  const shown = views.filter(({ scope }) => scope === undefined || hasScope(current, scope));
  const view = shown.find(({ id }) => id === first) ?? (first === "" ? shown[0] : undefined);
  return (
    <>
      <header class="page-header">
        <SkipLink />
        <a class="brand" href="#/">
          Inventory
        </a>
        <nav aria-label="Views">
          {shown.map(({ id, title }) => (
            <a key={id} href={`#/${id}`} aria-current={id === view?.id ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="page-account" title="The account of the API key">
          {current.identity?.accountName}
        </span>
        <KeyHelp />
        <ThemeToggle />
        <button type="button" class="button-quiet" onClick={() => afterDraft(signOut)}>
          Sign out
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {view ? <view.component path={path} /> : <NoView id={first} />}
      </main>
    </>
  );
}

function NoView({ id }: { id: string }) {
  const { scope, title = "No such view" } = views.find((each) => each.id === id) ?? {};
  useTitle(title);
  return (
    <>
      <h1>{title}</h1>
      {scope ? (
        <p>
          To see this view, a key needs the scope <code>{scope}</code>. Ask an operator for a key
          with this scope, then sign in with it.
        </p>
      ) : (
        <p>This view does not exist.</p>
      )}
      <p>
        <a href="#/">Go to the start</a>
      </p>
    </>
  );
}

/** Asks for the account and scopes of a key that was restored after a reload, until the server responds. */
function useIdentity(): void {
  useQuery(async () => {
    const { key, identity } = session.get();
    if (key === undefined || identity) return;
    const found = await identify();
    if (found) setIdentity(key, found);
  }, []);
}
