import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EventsService, FollowResponseSchema } from "../gen/shelf/v1/events_pb.ts";
import { protocols, sendOnce } from "./support/clients.ts";
import { streaming } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = EventsService.method;
const event = (id: string, title: string) => create(FollowResponseSchema, { id, title });

describe.each(protocols)("%s", (_, serve) => {
  async function follow(
    events: readonly ReturnType<typeof event>[],
    target = "/v1/events",
    headers: Record<string, string> = {},
  ) {
    const requests: string[] = [];
    const method = streaming(rpc.follow, async function* ({ after }: { after: string }) {
      requests.push(after);
      yield* events as never[];
    });
    const listener = frontDoor(shelfTranscoder({ methods: [method] }));
    const { body } = await sendOnce(serve, listener, "GET", target, {
      headers: { accept: "text/event-stream", ...headers },
    });
    return { body, requests };
  }

  test("events have the ids of their messages, if they have one", async () => {
    const { body } = await follow([event("", "a"), event("7", "b")]);
    expect(body).toBe(
      'data: {"id":"","title":"a"}\n\nid: 7\ndata: {"id":"7","title":"b"}\n\nevent: end\ndata:\n\n',
    );
  });

  test.each(["7\ndata: x", "7\r", "7\0"])(
    "an id with a character that events cannot contain is left out: %j",
    async (id) => {
      expect((await follow([event(id, "a")])).body).toMatch(/^data: /);
    },
  );

  test("a field of the message has no id", async () => {
    const { body } = await follow([event("7", "b")], "/v1/events:titles");
    expect(body).toBe('data: "b"\n\nevent: end\ndata:\n\n');
  });

  test("other formats have no ids", async () => {
    const { body } = await follow([event("7", "b")], "/v1/events", {
      accept: "application/x-ndjson",
    });
    expect(body).toBe('{"id":"7","title":"b"}\n');
  });

  test("a frozen message is sent once for each time it is in the stream", async () => {
    const frozen = Object.freeze(event("7", "b"));
    const { body } = await follow([frozen, frozen]);
    expect(body.match(/^data: \{"id":"7","title":"b"\}$/gm)).toHaveLength(2);
  });

  test.each([
    ["/v1/events", { "last-event-id": "7" }, "7"],
    ["/v1/events?after=6", { "last-event-id": "7" }, "7"],
    ["/v1/events?after=6", { "last-event-id": "" }, "6"],
    ["/v1/events?after=6", {}, "6"],
    ["/v1/events", {}, ""],
  ])("%s with %o continues after %j", async (target, headers, after) => {
    expect((await follow([], target, headers as Record<string, string>)).requests).toEqual([after]);
  });
});

test.each([
  ["count", "must be a string"],
  ["pair", "two event ids"],
] as const)("creating the transcoder fails when an event id is invalid: %s", (name, fault) => {
  const method = streaming(rpc[name] as unknown as typeof rpc.follow, async function* () {});
  expect(() => shelfTranscoder({ methods: [method] })).toThrow(fault);
});
