/** What counts as creating content, which GitHub limits for itself: whatever people see and are notified of. Pure. */

const CREATED = /\/(?:issues|pulls|comments|reviews|labels|reactions)$/;

/** Whether a request makes a comment, a review, a reaction, an issue, a pull request or a label. `path` is without its query. */
export function isCreation({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && CREATED.test(path);
}
