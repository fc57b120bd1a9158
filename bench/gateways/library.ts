import { readFileSync } from "node:fs";
import { create, fromJsonString, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import {
  BookSchema,
  LibraryService,
  ListBooksResponseSchema,
} from "./gen/library/v1/library_pb.ts";

/**
 * Returns the routes of the library in Node.js. The peers in Go have the same in go/library.go.
 *
 * @param file with a ListBooksResponse in JSON
 */
export function libraryRoutes(file: string): (router: ConnectRouter) => void {
  const { books: listed } = fromJsonString(ListBooksResponseSchema, readFileSync(file, "utf8"));
  const books = new Map(listed.map((book) => [book.id, book]));

  function bookOf(id: string) {
    const book = books.get(id);
    if (!book) throw new ConnectError(`there is no book ${id}`, Code.NotFound);
    return book;
  }

  return (router) =>
    router.service(LibraryService, {
      listBooks: () => ({ books: [...books.values()] }),
      getBook: ({ id }) => ({ book: bookOf(id) }),
      updateBook({ book: { id, copies } = create(BookSchema), updateMask }) {
        const book = { ...bookOf(id) };
        if (updateMask?.paths.includes("copies")) book.copies = copies;
        books.set(id, book);
        return { book };
      },
    });
}

/** The copies of each book. The update that is measured sets the same number, so that responses stay the same. */
export const usualCopies = 3;

/** Returns the books that all peers serve. Numbers vary, so that not all books are encoded alike. */
export function sampleBooks(count: number): MessageInitShape<typeof ListBooksResponseSchema> {
  const authors = ["Ada Lovelace", "Émile Zola", "Grace Hopper", "Stanisław Lem"];
  const books = Array.from({ length: count }, (_, index) => ({
    id: `${index + 1}`,
    title: `A book with the number ${index + 1}`,
    author: authors[index % authors.length] ?? "",
    subjects: ["fiction", `shelf ${index % 7}`],
    pages: 100 + index,
    copies: usualCopies,
    rating: 1.5 + (index % 4),
    lendable: true,
    boughtAt: { seconds: BigInt(1_700_000_000 + index * 86_400) },
  }));
  return { books };
}
