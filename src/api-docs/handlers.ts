import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Content, type Handler, sendNegotiated, toContent } from "connect-gateway";
import { singleFlight } from "connect-gateway/call";
import { payloadTooLarge } from "connect-gateway/rest";
import { type Config, readConfig } from "../config/config.ts";

/** Settings that the OpenAPI document mentions. */
export type DocumentSettings = Pick<Config, "maxBodyBytes" | "maxBatchBodyBytes" | "petsSunset">;

/**
 * Returns the handlers of the OpenAPI document, and of the description of the RPC methods that the reference page
 * shows. `npm run generate` writes both. Each is read at its first request, and compressed at the first request in each
 * content coding.
 */
export function documentHandlers(settings: DocumentSettings): ReadonlyMap<string, Handler> {
  return new Map([
    ["/openapi.json", jsonResource(() => openApiDocument(settings))],
    ["/docs/rpc.json", jsonResource(rpcReference)],
  ]);
}

async function rpcReference(): Promise<string> {
  return JSON.stringify(JSON.parse(await generated("rpc.json")));
}

/** Returns the OpenAPI document with the values of settings. The generated one has those of the defaults. */
export async function openApiDocument(settings: DocumentSettings): Promise<string> {
  const values = valuesOf(settings);
  const byDefault = new Map(valuesOf(readConfig({})).map((text, at) => [text, values[at] ?? text]));
  const mentions = new RegExp([...byDefault.keys()].map(RegExp.escape).join("|"), "g");
  const text = await generated("openapi.json");
  return text.replace(mentions, (found) => byDefault.get(found) ?? found);
}

/** Returns the texts of the document that depend on settings. */
function valuesOf({ maxBodyBytes, maxBatchBodyBytes, petsSunset }: DocumentSettings): string[] {
  const messages = [maxBodyBytes, maxBatchBodyBytes].map((bytes) => {
    const { message } = payloadTooLarge(bytes).error;
    return JSON.stringify(message);
  });
  return [...messages, `"x-sunset": "${new Date(petsSunset).toISOString().slice(0, 10)}"`];
}

function generated(name: string): Promise<string> {
  return readFile(new URL(`../../gen/${name}`, import.meta.url), "utf8");
}

/** A document and its entity tag. */
interface Resource {
  readonly content: Content;
  readonly etag: string;
}

/** Returns a handler for GET and HEAD. Clients may cache the response, and must revalidate it before each use. */
function jsonResource(read: () => Promise<string>): Handler {
  let cached: Resource | undefined;
  const make = singleFlight(async () => {
    const data = await read();
    cached ??= {
      content: toContent("application/json", data),
      etag: `"${hash("sha256", data, "base64url")}"`,
    };
    return cached;
  });
  return async (response) => {
    const { content, etag } = cached ?? (await make());
    response.setHeader("cache-control", "no-cache");
    response.setHeader("etag", etag);
    await sendNegotiated(response, content);
  };
}
