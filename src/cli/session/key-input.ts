import { parseApiKey } from "../../access/api-key.ts";

/**
 * Returns the API key in a text that a person has pasted: the key, or the header `Authorization: Bearer …`.
 *
 * @returns undefined if it is not an API key. The text must not be printed, because it can contain one
 */
export function apiKeyIn(text: string): string | undefined {
  const apiKey = text.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, "");
  return parseApiKey(apiKey) && apiKey;
}

/** What to say of a text that is not an API key. */
export const notAnApiKey =
  "that is not an API key, or a character is wrong: a key begins with inv_ and has 49 characters";
