import { EventEmitter, on } from "node:events";
import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { type BoardService, type Post, PostSchema } from "./gen/board/v1/board_pb.js";

/** Makes the functions of the service, as for every Connect server. Posts are in memory. */
export function createBoards(): ServiceImpl<typeof BoardService> {
  const boards = new Map<string, Map<bigint, Post>>();
  const news = new EventEmitter();
  let lastId = 0n;

  function postsOf(board: string): Map<bigint, Post> {
    return boards.get(board) ?? new Map();
  }

  function find(board: string, postId: bigint): Post {
    const post = postsOf(board).get(postId);
    if (!post) throw new ConnectError(`board ${board} has no post ${postId}`, Code.NotFound);
    return post;
  }

  return {
    listPosts({ board, author, pageSize }) {
      const posts = [...postsOf(board).values()].toReversed();
      const selected = posts.filter((post) => author === "" || post.author === author);
      return { posts: selected.slice(0, pageSize || 100) };
    },

    getPost: ({ board, postId }) => find(board, postId),

    createPost({ board, post: { author, text } = create(PostSchema) }) {
      lastId += 1n;
      const created = { postId: lastId, author, text, createTime: timestampNow() };
      const post = create(PostSchema, created);
      boards.set(board, postsOf(board).set(lastId, post));
      news.emit(board, post);
      return post;
    },

    updatePost({ board, post: { postId, ...fields } = create(PostSchema), updateMask }) {
      const post = find(board, postId);
      for (const field of ["author", "text"] as const) {
        if (updateMask?.paths.includes(field)) post[field] = fields[field];
      }
      return post;
    },

    async *watchPosts({ board }, { signal }) {
      for await (const [post] of on(news, board, { signal })) yield post as Post;
    },
  };
}
