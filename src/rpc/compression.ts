import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { type ContentCoding, codings, isTooLarge } from "../http/coding.ts";
import { messageTooLarge } from "./size-limit.ts";

/** The content codings, as Connect wants them. */
export const compressions: Compression[] = codings.map(toCompression);

/** The names of the content codings, as `grpc-accept-encoding` lists them. */
export const acceptedEncodings = compressions.map(({ name }) => name).join(",");

const nothing = new Uint8Array(0);

function toCompression({ name, compress, decompress }: ContentCoding): Compression {
  return {
    name,
    compress,
    async decompress(data, readMaxBytes) {
      if (data.length === 0) return nothing;
      try {
        return await decompress(data, { maxOutputLength: readMaxBytes });
      } catch (error) {
        throw isTooLarge(error)
          ? messageTooLarge(undefined, readMaxBytes)
          : new ConnectError(`the message is not valid ${name}`, Code.InvalidArgument);
      }
    },
  };
}
