package example.inventory.client;

import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads lists page after page. */
final class Pages {
  /** The most elements that the service returns at once. */
  static final int SIZE = 1_000;

  /** The same for changes and for holds. */
  static final int SMALL_SIZE = 200;

  private Pages() {}

  /** Streams the elements of all pages. Reads a page when its first element is needed. */
  static <P, T> Stream<T> all(
      Function<String, P> read, Function<P, List<T>> elements, Function<P, String> nextToken) {
    Iterator<P> pages =
        new Iterator<>() {
          private String token = "";
          private boolean done;

          @Override
          public boolean hasNext() {
            return !done;
          }

          @Override
          public P next() {
            P page = read.apply(token);
            token = nextToken.apply(page);
            done = token.isEmpty();
            return page;
          }
        };
    Iterable<P> iterable = () -> pages;
    return StreamSupport.stream(iterable.spliterator(), false)
        .flatMap(page -> elements.apply(page).stream());
  }
}
