import type { DescFile, DescService } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { ServerReflectionRequest } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import type { ServerReflectionRequest as AlphaRequest } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { filesOf, withImports } from "./files.ts";

/** A request of either version: they differ in nothing but their package. */
type AnyRequest = ServerReflectionRequest | AlphaRequest;

type Answer =
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | {
      case: "allExtensionNumbersResponse";
      value: { baseTypeName: string; extensionNumber: number[] };
    }
  | { case: "errorResponse"; value: { errorCode: Code; errorMessage: string } };

/** A response of the version of its request. */
interface AnyResponse<Request> {
  readonly validHost: string;
  readonly originalRequest: Request;
  readonly messageResponse: Answer;
}

/** The method `ServerReflectionInfo`, of all versions of the service. */
export type ServerReflectionInfo = <Request extends AnyRequest>(
  requests: AsyncIterable<Request>,
) => AsyncIterable<AnyResponse<Request>>;

/**
 * The function of `grpc.reflection.v1.ServerReflection`, and of `v1alpha`, for which many tools still
 * ask.
 *
 * https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 *
 * @param services the services that it lists, and describes with all that they import
 * @param more files that it also describes: those of messages in `google.protobuf.Any`, which no file of a service
 * imports
 */
export function createReflection(
  services: readonly DescService[],
  more: readonly DescFile[],
): ServerReflectionInfo {
  const files = filesOf([...services.map(({ file }) => file), ...more]);

  /** The file and what it imports, less what the stream has had already. */
  function described(file: DescFile | undefined, sent: Set<DescFile>, what: string): Answer {
    if (!file) return notFound(what);
    const wanted = [...withImports([file])].filter((each) => each === file || !sent.has(each));
    for (const each of wanted) sent.add(each);
    const fileDescriptorProto = wanted.map(files.serialized);
    return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
  }

  function extensionNumbers(type: string): Answer {
    const extensions = files.extensionsOf(type);
    if (!extensions) return notFound(`message ${type}`);
    return {
      case: "allExtensionNumbersResponse",
      value: { baseTypeName: type, extensionNumber: [...extensions.keys()] },
    };
  }

  function answer({ messageRequest: asked }: AnyRequest, sent: Set<DescFile>): Answer {
    switch (asked.case) {
      case "listServices":
        return {
          case: "listServicesResponse",
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case "fileByFilename":
        return described(files.named(asked.value), sent, `file ${asked.value}`);
      case "fileContainingSymbol":
        return described(files.declaring(asked.value), sent, `symbol ${asked.value}`);
      case "fileContainingExtension": {
        const { containingType: type, extensionNumber: number } = asked.value;
        const file = files.extensionsOf(type)?.get(number);
        return described(file, sent, `extension ${number} of ${type}`);
      }
      case "allExtensionNumbersOfType":
        return extensionNumbers(asked.value);
      default:
        return failed(Code.InvalidArgument, "The request does not say what it asks for.");
    }
  }

  return async function* serverReflectionInfo(requests) {
    const sent = new Set<DescFile>();
    for await (const request of requests) {
      yield {
        validHost: request.host,
        originalRequest: request,
        messageResponse: answer(request, sent),
      };
    }
  };
}

function notFound(what: string): Answer {
  return failed(Code.NotFound, `There is no ${what}.`);
}

/** Told within the stream, which goes on. Connect's codes are gRPC's. */
function failed(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
