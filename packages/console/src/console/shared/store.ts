import { useEffect, useState } from "preact/hooks";

/** A value that components can observe. */
export interface Store<T> {
  get(): T;
  /** Sets the value and calls the observers if it has changed. */
  set(value: T): void;
  /** @returns a function that ends the subscription */
  subscribe(observer: () => void): () => void;
}

/** Creates a store with a first value. */
export function createStore<T>(first: T): Store<T> {
  const observers = new Set<() => void>();
  let current = first;
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const observer of [...observers]) observer();
    },
    subscribe(observer) {
      observers.add(observer);
      return () => observers.delete(observer);
    },
  };
}

/** Returns the value of a store, and renders the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => ({ current: store.get() }));
  useEffect(() => {
    const update = () =>
      setValue((before) =>
        Object.is(before.current, store.get()) ? before : { current: store.get() },
      );
    update();
    return store.subscribe(update);
  }, [store]);
  return value.current;
}
