import type { DescMethod } from "@bufbuild/protobuf";
import type { Policy } from "connect-gateway";
import { httpError } from "connect-gateway/rest";
import { deprecationNotice } from "../contract/deprecation.ts";

/** Announces in every response of a deprecated operation that it is deprecated. After the sunset, responds 410. */
export function sunsetPolicy(sunset: number): (method: DescMethod) => Policy | undefined {
  const notices = new Map<DescMethod, Policy | undefined>();

  function noticeOf(method: DescMethod): Policy | undefined {
    const notice = deprecationNotice(method, sunset);
    return (
      notice && {
        headers: notice.headers,
        refusal: httpError(
          "OPERATION_ENDED",
          `This operation ended on ${new Date(sunset).toISOString().slice(0, 10)}. Use ${notice.successor}.`,
        ),
      }
    );
  }

  return (method) => {
    const notice = notices.getOrInsertComputed(method, noticeOf);
    return notice && Date.now() < sunset ? { headers: notice.headers } : notice;
  };
}
