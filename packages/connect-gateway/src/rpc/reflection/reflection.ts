import type { DescFile, DescService } from "@bufbuild/protobuf";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import {
  ServerReflection,
  type ServerReflectionRequest,
} from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import {
  type ServerReflectionRequest as AlphaRequest,
  ServerReflection as ServerReflectionAlpha,
} from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { type Files, indexFiles, withImports } from "./files.ts";

/** A request of either version. The versions differ only in their package. */
type AnyRequest = ServerReflectionRequest | AlphaRequest;

type MessageResponse =
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | {
      case: "allExtensionNumbersResponse";
      value: { baseTypeName: string; extensionNumber: number[] };
    }
  | { case: "errorResponse"; value: { errorCode: Code; errorMessage: string } };

/** A response in the version of its request. */
interface AnyResponse<Request> {
  readonly validHost: string;
  readonly originalRequest: Request;
  readonly messageResponse: MessageResponse;
}

/** The method `ServerReflectionInfo` of both versions of the service. */
type ServerReflectionInfo = <Request extends AnyRequest>(
  requests: AsyncIterable<Request>,
) => AsyncIterable<AnyResponse<Request>>;

/** The largest request, in bytes after decompression. The names of files and symbols are much shorter. */
const readMaxBytes = 1024;

/**
 * Returns the routes of `grpc.reflection.v1.ServerReflection` and of `v1alpha`, which many tools still use, for the
 * `publicRoutes` of a gateway or a server of Connect.
 *
 * https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 *
 * @param services the services to list in addition to these two, and to describe with all imports
 * @param more further files to describe: those of messages in `google.protobuf.Any`, which no service's file imports
 */
export function reflectionRoutes(
  services: readonly DescService[],
  more: readonly DescFile[] = [],
): (router: ConnectRouter) => void {
  const own = [ServerReflection, ServerReflectionAlpha];
  const serverReflectionInfo = createReflection([...services, ...own], more);
  return (router) => {
    for (const service of own) router.service(service, { serverReflectionInfo }, { readMaxBytes });
  };
}

function createReflection(
  services: readonly DescService[],
  more: readonly DescFile[],
): ServerReflectionInfo {
  let index: Files | undefined;
  /** Indexes the files at the first request for one: most processes never get one. */
  function files(): Files {
    index ??= indexFiles([...services.map(({ file }) => file), ...more]);
    return index;
  }

  /** Returns the file and its imports, without those that the stream has sent already. */
  function described(
    file: DescFile | undefined,
    sent: Set<DescFile>,
    what: string,
  ): MessageResponse {
    if (!file) return notFound(what);
    const wanted = [...withImports([file])].filter((each) => each === file || !sent.has(each));
    for (const each of wanted) sent.add(each);
    const fileDescriptorProto = wanted.map(files().serialized);
    return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
  }

  function extensionNumbers(type: string): MessageResponse {
    const extensions = files().extensionsOf(type);
    if (!extensions) return notFound(`message ${type}`);
    return {
      case: "allExtensionNumbersResponse",
      value: { baseTypeName: type, extensionNumber: [...extensions.keys()] },
    };
  }

  function respond({ messageRequest: query }: AnyRequest, sent: Set<DescFile>): MessageResponse {
    switch (query.case) {
      case "listServices":
        return {
          case: "listServicesResponse",
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case "fileByFilename":
        return described(files().named(query.value), sent, `file ${query.value}`);
      case "fileContainingSymbol":
        return described(files().declaring(query.value), sent, `symbol ${query.value}`);
      case "fileContainingExtension": {
        const { containingType: type, extensionNumber: number } = query.value;
        const file = files().extensionsOf(type)?.get(number);
        return described(file, sent, `extension ${number} of ${type}`);
      }
      case "allExtensionNumbersOfType":
        return extensionNumbers(query.value);
      default:
        return failed(
          Code.InvalidArgument,
          "The request has no query. Set one field of message_request.",
        );
    }
  }

  return async function* serverReflectionInfo(requests) {
    const sent = new Set<DescFile>();
    for await (const request of requests) {
      yield {
        validHost: request.host,
        originalRequest: request,
        messageResponse: respond(request, sent),
      };
    }
  };
}

function notFound(what: string): MessageResponse {
  return failed(Code.NotFound, `There is no ${what}.`);
}

/** Reports an error within the stream, which stays open. Connect's codes have the numbers of gRPC's. */
function failed(errorCode: Code, errorMessage: string): MessageResponse {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
