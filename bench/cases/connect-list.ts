import { connectBinaryList, connectJsonList } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import type { Call } from "../load/call.ts";
import { httpLoad } from "../load/http.ts";
import { connectNode, ourServer } from "../servers.ts";

function contestants(call: Call): Case["contestants"] {
  const load = httpLoad(call);
  return [
    { name: ours, server: ourServer, load },
    { name: "connect-node", server: connectNode, load },
  ];
}

export const connectJsonCase: Case = {
  name: "connect-json",
  about: "Connect ListInventory over HTTP/1.1, JSON, 10 items, 64 connections, 100 keys",
  items: 10,
  contestants: contestants(connectJsonList),
};

export const connectBinaryCase: Case = {
  name: "connect-binary",
  about: "The same with binary messages",
  items: 10,
  contestants: contestants(connectBinaryList),
};
