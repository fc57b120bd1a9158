/** An element of at most one {@link LinkedList}. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * A list whose links are in its elements. Unlike a Set, it leaves nothing behind for elements that come and go
 * by the thousand: V8 keeps the deleted entries of a Set, and what they refer to, until a full collection.
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;

  add(element: T): void {
    element.next = this.#first;
    if (this.#first) this.#first.previous = element;
    this.#first = element;
  }

  remove(element: T): void {
    const { previous, next } = element;
    if (previous) previous.next = next;
    else if (this.#first === element) this.#first = next;
    if (next) next.previous = previous;
    element.previous = undefined;
    element.next = undefined;
  }

  /** The element handed out last can be removed during the iteration. */
  *[Symbol.iterator](): Generator<T> {
    for (let element = this.#first; element; ) {
      const { next } = element;
      yield element;
      element = next;
    }
  }
}
