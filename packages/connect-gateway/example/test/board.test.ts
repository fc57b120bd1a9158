/** Calls the gateway by each protocol, as clients do. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import * as web from "@connectrpc/connect-web";
import { createGateway } from "connect-gateway";
import { createBoardGateway } from "../src/gateway.js";
import { BoardService } from "../src/gen/board/v1/board_pb.js";

const key = "a key of the test";
const gateway = createBoardGateway(key);
const { url: baseUrl } = await gateway.listen(0, "127.0.0.1");
after(() => gateway.drain(1_000));

const withKey: Interceptor = (next) => (request) => {
  request.header.set("authorization", `Bearer ${key}`);
  return next(request);
};
const options = { baseUrl, interceptors: [withKey] };
const transports: Record<string, Transport> = {
  "Connect over HTTP/2": createConnectTransport({ ...options, httpVersion: "2" }),
  "Connect over HTTP/1.1": createConnectTransport({ ...options, httpVersion: "1.1" }),
  "Connect by fetch": web.createConnectTransport(options),
  gRPC: createGrpcTransport(options),
  "gRPC-Web over HTTP/2": createGrpcWebTransport({ ...options, httpVersion: "2" }),
  "gRPC-Web by fetch": web.createGrpcWebTransport(options),
};

/** Repeats an action until a promise settles: a watch begins at some time after its request. */
async function repeatUntil<T>(promise: Promise<T>, act: () => Promise<unknown>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  while (!isSettled) await act();
  return promise;
}

for (const [name, transport] of Object.entries(transports)) {
  test(name, async () => {
    const client = createClient(BoardService, transport);
    const board = name;
    const { postId } = await client.createPost({ board, post: { author: "ada", text: "Hello" } });
    assert.equal((await client.getPost({ board, postId })).text, "Hello");

    const post = { postId, author: "nobody", text: "Hello, world" };
    const changed = await client.updatePost({ board, post, updateMask: { paths: ["text"] } });
    assert.equal(changed.author, "ada");
    assert.equal(changed.text, "Hello, world");

    const { posts } = await client.listPosts({ board, author: "ada" });
    assert.deepEqual(posts, [changed]);

    await assert.rejects(client.getPost({ board, postId: -1n }), { code: Code.NotFound });

    const watched = client.watchPosts({ board })[Symbol.asyncIterator]();
    const news = { board, post: { text: "news" } };
    const first = await repeatUntil(watched.next(), () => client.createPost(news));
    assert.equal(first.value?.text, "news");
    await watched.return?.();
  });
}

test("each protocol refuses a call without the key", async () => {
  for (const transport of [
    createConnectTransport({ baseUrl, httpVersion: "2" }),
    createGrpcTransport({ baseUrl }),
    web.createGrpcWebTransport({ baseUrl }),
  ]) {
    await assert.rejects(
      createClient(BoardService, transport).listPosts({ board: "b" }),
      (error) => {
        assert.equal(ConnectError.from(error).code, Code.Unauthenticated);
        return true;
      },
    );
  }
  assert.equal((await fetch(`${baseUrl}/v1/boards/b/posts`)).status, 401);
});

/** Sends a request with the key. @returns the status, and the body of JSON */
async function send(method: string, path: string, body?: unknown, type = "application/json") {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, response, json: await response.json() };
}

test("JSON over HTTP", async () => {
  const posts = "/v1/boards/by%20HTTP/posts";
  const { status, json: created } = await send("POST", posts, { author: "ada", text: "Hello" });
  assert.equal(status, 200);
  const own = `${posts}/${created.postId}`;
  assert.deepEqual((await send("GET", own)).json, created);

  const { json: changed } = await send("PATCH", own, { text: "Hello, world" });
  assert.deepEqual(changed, { ...created, text: "Hello, world" });

  await send("POST", posts, { author: "alan", text: "Hi" });
  const { json: all } = await send("GET", posts);
  assert.equal(all.posts.length, 2);
  assert.deepEqual((await send("GET", `${posts}?author=ada&pageSize=1`)).json, {
    posts: [changed],
  });
});

test("JSON over HTTP names what is wrong with a request", async () => {
  const posts = "/v1/boards/b/posts";
  assert.equal((await send("GET", `${posts}/7000`)).status, 404);
  assert.equal((await send("GET", "/v1/boards")).status, 404);

  const query = await send("GET", `${posts}?page_size=many`);
  assert.equal(query.status, 400);
  assert.match(JSON.stringify(query.json), /page_?size/i);
  const body = await send("POST", posts, { author: 7 });
  assert.equal(body.status, 400);
  assert.match(JSON.stringify(body.json), /author/);

  const method = await send("DELETE", posts);
  assert.equal(method.status, 405);
  assert.match(method.response.headers.get("allow") ?? "", /GET.*POST/);
  assert.equal((await send("POST", posts, "Hello", "text/plain")).status, 415);
});

test("a stream of JSON", async () => {
  const posts = "/v1/boards/stream/posts";
  const headers = { authorization: `Bearer ${key}`, accept: "application/x-ndjson" };
  const stopped = new AbortController();
  const watch = fetch(`${baseUrl}${posts}:watch`, { headers, signal: stopped.signal });
  // The response begins with the first message.
  const response = await repeatUntil(watch, () => send("POST", posts, { text: "news" }));
  assert.equal(response.headers.get("content-type"), "application/x-ndjson");
  let text = "";
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    if (text.includes("\n")) break;
  }
  stopped.abort();
  assert.equal(JSON.parse(text.slice(0, text.indexOf("\n"))).text, "news");
});

test("stacks of the package name its sources", () => {
  assert.throws(
    () => createGateway({ routes: () => assert.fail() }),
    ({ stack }: Error) => /connect-gateway\/src\/server\/gateway\.ts:\d+/.test(stack ?? ""),
  );
});
