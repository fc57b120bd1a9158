/** What a user has pasted: a well-formed API key, or the reason why it is not one. */
export type KeyText = { readonly key: string } | { readonly fault: string };

const keyForm = /^inv_[0-9a-z]{45}$/;
/** Key ids have 20 characters and account ids 12. Users confuse them with keys. */
const idForm = /^(?:[0-9a-z]{12}|[0-9a-z]{20})$/;

/** Reads a pasted API key. Accepts it with `Authorization:`, `Bearer` or quotes around it. */
export function readKeyText(text: string): KeyText {
  const key = text
    .trim()
    .replace(/^["'`]|["'`]$/g, "")
    .replace(/^authorization:\s*/i, "")
    .replace(/^bearer\s+/i, "")
    .trim();
  if (key === "") return { fault: "Paste an API key." };
  if (keyForm.test(key)) return { key };
  if (idForm.test(key)) {
    return { fault: "That is the id of a key or account. Paste the key: it begins with inv_." };
  }
  if (!key.startsWith("inv_")) return { fault: "An API key begins with inv_." };
  return {
    fault: `An API key has 49 characters; this text has ${key.length}. Copy the whole key.`,
  };
}
