import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { faultOf } from "./call-fault.ts";
import { Form, type FormProps } from "./form.tsx";
import { isUnclear } from "./unclear.ts";

interface Props<Desc extends DescMessage> extends FormProps<Desc> {
  /** What to do after a call whose result is unknown, as a sentence. */
  readonly unclearAdvice: string;
  /** Called after a call whose result is unknown, to read the list again. */
  readonly onUnclear: () => void;
}

/**
 * A form of a request that creates something and has no idempotency key. After a call whose result is unknown, it says
 * so, because a second attempt might create a second one. What the second attempt results in does not change that.
 */
export function CreateForm<Desc extends DescMessage>(props: Props<Desc>) {
  const { unclearAdvice, onUnclear, send, children, ...form } = props;
  const [isUnknown, setUnknown] = useState(false);
  const sendOnce = async (request: MessageShape<Desc>) => {
    try {
      await send(request);
    } catch (error) {
      if (isUnclear(faultOf(error))) {
        setUnknown(true);
        onUnclear();
      }
      throw error;
    }
  };
  return (
    <Form {...(form as FormProps<Desc>)} send={sendOnce}>
      {children}
      {isUnknown && (
        <p class="banner banner-warning" role="alert">
          {unclearAdvice}
        </p>
      )}
    </Form>
  );
}
