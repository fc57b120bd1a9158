/** An element of at most one {@link LinkedList}. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * A list whose links are in its elements. V8 keeps the deleted entries of a Set, and the objects that they refer to,
 * until the next full garbage collection. A linked list does not have this cost.
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;

  get first(): T | undefined {
    return this.#first;
  }

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

  /** During the iteration, the current element can be removed. */
  *[Symbol.iterator](): Generator<T> {
    for (let element = this.#first; element; ) {
      const { next } = element;
      yield element;
      element = next;
    }
  }
}
