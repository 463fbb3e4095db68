/** What has left for GitHub: a port that finds another way where GitHub refuses the first tells nobody which one it took. */

export interface Sent {
  readonly method: string;
  readonly path: string;
  /** Undefined where no answer came. */
  readonly status: number | undefined;
}

export interface Recorded {
  readonly fetch: typeof globalThis.fetch;
  /** In the order in which they were sent. */
  readonly sent: () => readonly Sent[];
}

export function recorded(send: typeof globalThis.fetch): Recorded {
  const all: { method: string; path: string; status: number | undefined }[] = [];
  return {
    sent: () => [...all],
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const one = { method: request.method, path: new URL(request.url).pathname, status: undefined as Sent['status'] };
      all.push(one);
      const answer = await send(request);
      one.status = answer.status;
      return answer;
    },
  };
}
