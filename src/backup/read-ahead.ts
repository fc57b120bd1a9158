/** Reads the next page while the current one is used. @throws the error of `pages`, in place of the page that failed */
export async function* readAhead<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = pages.next();
  for (let page = await next; !page.done; page = await next) {
    next = pages.next();
    // The loop throws its error. If the caller stops before that, the error is not needed.
    next.catch(() => {});
    yield page.value;
  }
}
