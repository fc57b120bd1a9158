// Receives the webhooks of a relay, and prints each change once.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.RELAY_SECRET);
// In your database, set it in the transaction that applies the change.
let lastVersion = 0n;

createServer(async (request, response) => {
  const body = await text(request);
  try {
    // Throws if the signature is wrong, or the webhook is older than five minutes.
    webhook.verify(body, request.headers);
  } catch {
    response.writeHead(401).end();
    return;
  }
  const version = BigInt(request.headers["webhook-id"]);
  if (version > lastVersion) console.log(body);
  lastVersion = version > lastVersion ? version : lastVersion;
  response.writeHead(204).end();
}).listen(process.env.PORT, "127.0.0.1");
