import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { type ContentCoding, codings, isTooLarge } from "../http/compression.ts";
import { messageTooLarge } from "./size-limit.ts";

/** The content codings that the service supports, in Connect's interface. */
export const compressions: Compression[] = codings.map(toCompression);

/** The names of the content codings: the value of `grpc-accept-encoding`. */
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
