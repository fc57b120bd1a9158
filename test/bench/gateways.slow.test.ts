import { expect, onTestFinished, test } from "vitest";
import { nodePeers } from "../../bench/gateways/peers.ts";
import { startPeer } from "../../bench/gateways/start.ts";
import { directoryOfTest } from "../support/directory.ts";

test.each(nodePeers)(
  "the peer $name of the comparison of gateways sends the responses that it must",
  async (peer) => {
    // Throws at the first response that is wrong.
    const { processes, stop } = await startPeer(peer, directoryOfTest());
    onTestFinished(stop);
    expect(processes).toHaveLength(1);
  },
);

test("the comparison of gateways notices a wrong response", async () => {
  const [gateway, node] = nodePeers;
  if (!gateway || !node) throw new Error("there are no peers");
  // connect-node has no JSON over HTTP.
  const liar = { ...node, name: "liar", protocols: gateway.protocols };
  await expect(startPeer(liar, directoryOfTest())).rejects.toThrow(
    "liar: 100 books, JSON: the status is 404",
  );
});
