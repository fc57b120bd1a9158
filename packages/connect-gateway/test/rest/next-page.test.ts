import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { type Listener, protocols, sendOnce } from "./support/clients.ts";
import { unary } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;

function paged(nextPageToken: string): Listener {
  const list = unary(rpc.listBooks, () => ({ nextPageToken }));
  return frontDoor(shelfTranscoder({ methods: [list] }));
}

/** Throws the error of a method. @param status status of the error; undefined for that of its code */
function failing(status: number | undefined): Listener {
  const count = unary(rpc.countBooks, () => {
    throw new ConnectError("too late", Code.Aborted);
  });
  return frontDoor(
    shelfTranscoder({
      methods: [count],
      errorTerms: { kindOf: ({ code }) => ({ code, when: "", status }) },
    }),
  );
}

describe.each(protocols)("%s", (_, serve) => {
  describe("pages", () => {
    test.each([
      ["/v1/shelves/5/books", "/v1/shelves/5/books?pageToken=n%2F1"],
      ["/v1/shelves/5/books?", "/v1/shelves/5/books?pageToken=n%2F1"],
      ["/v1/shelves/5/books?pageSize=2", "/v1/shelves/5/books?pageSize=2&pageToken=n%2F1"],
      [
        "/v1/shelves/5/books?pageToken=a&pageSize=2",
        "/v1/shelves/5/books?pageSize=2&pageToken=n%2F1",
      ],
      ["/v1/shelves/5/books?page_token=a", "/v1/shelves/5/books?pageToken=n%2F1"],
      ["/v1/shelves/5/books?pageToke%6E=a", "/v1/shelves/5/books?pageToken=n%2F1"],
      [
        "/v1/shelves/%35/books?lent=true&author.givenName=%3E",
        "/v1/shelves/%35/books?lent=true&author.givenName=%3E&pageToken=n%2F1",
      ],
      [
        "/v1/shelves/5/books?author.givenName=>;",
        "/v1/shelves/5/books?author.givenName=%3E;&pageToken=n%2F1",
      ],
    ])("%s links to %s", async (target, next) => {
      const reply = await sendOnce(serve, paged("n/1"), "GET", target);
      expect(reply.status).toBe(200);
      expect(reply.headers.link).toBe(`<${next}>; rel="next"`);
    });

    test("there is no link after the last page", async () => {
      const reply = await sendOnce(serve, paged(""), "GET", "/v1/shelves/5/books");
      expect(reply.status).toBe(200);
      expect(reply.headers).not.toHaveProperty("link");
    });
  });

  describe("statuses", () => {
    test.each([
      [409, undefined],
      [412, 412],
    ])("%i when the status of the error is %s; the body has the same code", async (status, own) => {
      const reply = await sendOnce(serve, failing(own), "GET", "/v1/books:count");
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.body)).toEqual({ code: "aborted", message: "too late", status });
    });
  });
});
