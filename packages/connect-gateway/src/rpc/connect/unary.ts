import { varyOn } from "../../http/content/caching.ts";
import { sendContent } from "../../http/content/send-content.ts";
import { readBody } from "../../http/exchange/body.ts";
import type { Packed } from "../../http/protocol.ts";
import type { Written } from "../codec.ts";
import { messageTooLarge } from "../envelope.ts";
import { RpcContext } from "../rpc-context.ts";
import type { GetRequest } from "./get.ts";

const nothing = new Uint8Array(0);

/** A unary call by POST, or by GET where the method has no side effects: https://connectrpc.com/docs/protocol */
export class ConnectUnaryContext extends RpcContext {
  get: GetRequest | undefined = undefined;

  protected override requestedEncoding(): string | undefined {
    return this.get ? this.get.compression : super.requestedEncoding();
  }

  readBody(): Uint8Array | Promise<Uint8Array> {
    if (this.get) return nothing;
    const { response, maxMessageBytes } = this;
    return readBody(response, maxMessageBytes, () =>
      messageTooLarge(response.declaredLength, maxMessageBytes),
    );
  }

  unpack(body: Uint8Array): Packed {
    const data = this.get?.message() ?? body;
    const { length } = data;
    if (length > this.maxMessageBytes) throw messageTooLarge(length, this.maxMessageBytes);
    return { data, coding: this.compression.request };
  }

  protected succeed(content: Written): void | Promise<void> {
    const { trailersSet } = this;
    for (const name in trailersSet) {
      this.responseHeader.set(`trailer-${name}`, String(trailersSet[name]));
    }
    if (this.get) varyOn("accept-encoding", this.response);
    return sendContent(this.response, content, this.codingFor(content), this);
  }
}
