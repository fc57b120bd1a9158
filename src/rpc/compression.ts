import { Code, type ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { callError } from "../call/call-error.ts";
import type { CallerWork } from "../http/caller-work.ts";
import { type ContentCoding, codings, isTooLarge } from "../http/content/compression.ts";
import type { NodeServerResponse } from "../http/exchange/node-http.ts";
import { messageTooLarge } from "./limits/size-limit.ts";

/** The content codings that the service supports, in Connect's interface. */
export const compressions: Compression[] = codings.map(toCompression);

/** The names of the content codings: the value of `grpc-accept-encoding`. */
export const acceptedEncodings = compressions.map(({ name }) => name).join(",");

/** Connect's message for a compressed envelope of a request that names no encoding. */
const unknownCompression = "received compressed envelope, but do not know how to decompress";

/** Returns whether Connect reports such an envelope as its own fault. */
export function isCompressedWithoutEncoding({ code, rawMessage }: ConnectError): boolean {
  return code === Code.Internal && rawMessage === unknownCompression;
}

/**
 * Makes the error for such an envelope. It is the client's fault, although gRPC describes it as internal:
 * https://github.com/grpc/grpc/blob/master/doc/compression.md
 */
export function compressedWithoutEncoding(): ConnectError {
  return callError(
    "The message is marked as compressed, but the request names no encoding. Name it in the header of the protocol, or clear the flag.",
    Code.InvalidArgument,
  );
}

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
        throw decompressionFault(error, name, readMaxBytes);
      }
    },
  };
}

/**
 * Decompresses a message within the budget of its caller. Call it within `work.run`.
 *
 * @param name of the content coding, which the server supports
 * @throws ConnectError resource_exhausted when the message is larger than `maxBytes`; invalid_argument when it is not
 * valid in the coding; any error of {@link CallerWork}
 */
export function decompressMessage<Caller>(
  work: CallerWork<Caller>,
  caller: Caller,
  response: NodeServerResponse,
  data: Uint8Array,
  name: string,
  maxBytes: number,
): Uint8Array | Promise<Uint8Array> {
  const coding = codings.find((candidate) => candidate.name === name);
  if (!coding || data.length === 0) return nothing;
  const fault = (error: unknown) => decompressionFault(error, name, maxBytes);
  return work.decompress(caller, response, data, coding, maxBytes, fault);
}

function decompressionFault(error: unknown, name: string, maxBytes: number): ConnectError {
  return isTooLarge(error)
    ? messageTooLarge(undefined, maxBytes)
    : callError(`the message is not valid ${name}`, Code.InvalidArgument);
}
