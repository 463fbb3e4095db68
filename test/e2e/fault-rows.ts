/** What goes wrong at GitHub, as faults of the embedded one: each row is armed anew in every phase of a whole loop. */

export interface FaultRow {
  readonly case: string;
  /** Armed at the start of each phase. */
  readonly inPhase?: readonly object[];
  /** Armed once, for the whole loop. */
  readonly always?: readonly object[];
}

/** The first reading and the first writing of a phase. */
const firstOfEach = (fault: object): readonly object[] => [
  { method: 'GET', route: '*', by: 'app', times: 1, ...fault },
  ...['POST', 'PATCH'].map((method) => ({ method, route: '*', by: 'app', times: 1, ...fault })),
];
/** Each kind of request of a phase. */
const eachKind = (fault: object): readonly object[] => [
  { route: '*', by: 'app', times: 1, countedBy: 'route', ...fault },
];
const SECONDARY = {
  message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
};

export const FAULT_ROWS: readonly FaultRow[] = [
  {
    case: 'the primary limit',
    inPhase: firstOfEach({
      status: 403,
      headers: { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': { inSeconds: 30 } },
      body: { message: 'API rate limit exceeded for installation ID 1.' },
    }),
  },
  {
    case: 'a secondary limit that says when to try again',
    inPhase: firstOfEach({ status: 403, headers: { 'retry-after': '30' }, body: SECONDARY }),
  },
  { case: 'a secondary limit that does not say when', inPhase: firstOfEach({ status: 429, body: SECONDARY }) },
  { case: '502 to each kind of request', inPhase: eachKind({ status: 502 }) },
  {
    case: '502 to each kind of request, which is performed all the same',
    inPhase: eachKind({ status: 502, performs: true }),
  },
  { case: 'half an answer to each kind of request', inPhase: eachKind({ cut: true, performs: true }) },
  { case: 'no answer to each kind of request', inPhase: eachKind({ cut: true }) },
  { case: 'a 404 of the moment to each kind of request', inPhase: eachKind({ status: 404 }) },
  { case: 'a token that is over at each kind of request', inPhase: eachKind({ tokenOver: true }) },
  { case: 'webhooks that come twice', always: [{ webhook: '*', does: 'twice' }] },
  { case: 'webhooks in another order', always: [{ webhook: '*', does: 'shuffle', forMs: 1500 }] },
];
