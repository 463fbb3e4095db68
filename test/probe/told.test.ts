/** The probes of GitHub's answers, rules, limits and pages where what they are about is not so, or cannot be seen. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HERE } from '../local/server.ts';
import {
  changeWorkflow,
  json,
  PERMISSIONS,
  type ProbeStage,
  personOn,
  startProbeStage,
  type Tampering,
} from './stage.ts';

let stage: ProbeStage;
beforeAll(async () => {
  stage = await startProbeStage();
});
afterAll(() => stage.close());

type Options = NonNullable<Parameters<ProbeStage['probed']>[1]>;

/** The one row, with nothing left behind, and a remedy where it is not ok. */
async function rowOf(subject: string, options: Options = {}) {
  const { rows, left } = await stage.probed([subject], options);
  expect([left, await stage.leftovers()]).toEqual([[], ['main']]);
  const [row] = rows;
  if (row?.state !== 'ok') expect(row?.remedy).toBeTruthy();
  return row;
}

const answering =
  (status: number, body: object, isAbout: (path: string) => boolean): Tampering =>
  (answer, request) =>
    isAbout(new URL(request.url).pathname) ? Response.json(body, { status }) : answer;

test('of a default branch that never changed a workflow no merge can be tried', async () => {
  expect(await rowOf('changed workflows')).toMatchObject({
    state: 'unknown',
    sentence: 'No commit of main but its first one changed .github/workflows, so there is none to be merged.',
  });
});

test('a merge of changed workflows that GitHub refuses is told in its words', async () => {
  await changeWorkflow(stage);
  expect(await rowOf('changed workflows')).toMatchObject({ state: 'ok' });
  await stage.arrange({ permissions: undefined });
  const row = await rowOf('changed workflows');
  await stage.arrange();
  expect(row).toMatchObject({
    state: 'wrong',
    sentence: expect.stringMatching(
      /^The merge of [0-9a-f]{7}, .* was refused: .*refusing to allow a GitHub App to create or update workflow `\.github\/workflows\/ci\.yml`/,
    ),
    remedy: expect.stringContaining('ask a person to merge the base'),
  });
});

test('a merge that is refused as if there were nothing is no refusal that loops read', async () => {
  const isMove: Tampering = (answer, request) =>
    request.method === 'PATCH' && request.url.includes('/git/refs/')
      ? Response.json({ message: 'Not Found' }, { status: 404 })
      : answer;
  expect(await rowOf('changed workflows', { tampering: isMove })).toMatchObject({
    state: 'wrong',
    sentence: expect.stringMatching(/was refused, and not in a way that is read as a refusal: .* 404 .*Not Found/),
  });
});

test('no answer, or one that takes no more for now, is no refusal by a rule', async () => {
  const isPush = (path: string) => path.endsWith('/git/refs');
  const body = { message: 'You have exceeded a secondary rate limit.' };
  const limit = answering(429, body, isPush);
  const asLimit: Tampering = async (answer, request) => {
    const { status, headers } = await limit(answer, request);
    if (status !== 429) return answer;
    return Response.json(body, { status, headers: { ...Object.fromEntries(headers), 'retry-after': '600' } });
  };
  expect(await rowOf('refusals', { tampering: asLimit })).toMatchObject({
    state: 'unknown',
    sentence: expect.stringContaining('takes no more requests for now'),
  });
});

test.each([
  [403, 'Resource not accessible by integration'],
  [422, 'Object does not exist'],
])('a refusal by %d for another reason than a rule shows nothing of rules', async (status, message) => {
  const row = await rowOf('refusals', {
    tampering: answering(status, { message }, (path) => path.endsWith('/git/refs')),
  });
  expect(row).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/^Refused, and in words that name no rule \(creation hold there\): /),
  });
  expect(row?.sentence).toContain(message);
});

test('how a rule refuses is quoted where one holds', async () => {
  expect(await rowOf('refusals')).toMatchObject({
    state: 'ok',
    sentence: expect.stringMatching(/^Refused by its rules \(creation\): .*creations being restricted/),
  });
});

test('without a rule nothing is known of refusals, and the remedy says which rule to make', async () => {
  await stage.arrange({ restricted: null });
  const row = await rowOf('refusals');
  await stage.arrange();
  expect(row).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/^No rule holds for loopwright\/probe-rules-/),
    remedy: expect.stringContaining('for `loopwright/probe-rules-**` that restricts creations'),
  });
});

const rules = (...types: readonly string[]) =>
  json(
    () =>
      types.map((type) => ({ type, ruleset_source_type: 'Repository', ruleset_source: 'alice/toys', ruleset_id: 2 })),
    (path) => path.includes('/rules/branches/'),
  );

test.each([
  ['creation', 'wrong', /was pushed, though its rules \(creation\) forbid it\.$/],
  ['required_signatures', 'wrong', /was pushed, though its rules \(required_signatures\) forbid it\.$/],
  ['non_fast_forward', 'unknown', /forbid nothing of what was pushed\.$/],
] as const)('a push that the rule %s lets pass is told', async (type, state, sentence) => {
  await stage.arrange({ restricted: null });
  const row = await rowOf('refusals', { tampering: rules(type) });
  await stage.arrange();
  expect(row).toMatchObject({ state, sentence: expect.stringMatching(sentence) });
});

test('a refusal that looks like an outage is told', async () => {
  const isPush = (path: string) => path.endsWith('/git/refs');
  const row = await rowOf('refusals', { tampering: answering(503, { message: 'Rules are violated' }, isPush) });
  expect(row).toMatchObject({ state: 'wrong', sentence: expect.stringMatching(/not read as a refusal: .*503/) });
});

test('what doctor may read is named, and so is what GitHub refuses it', async () => {
  expect(await rowOf('of doctor')).toMatchObject({
    state: 'ok',
    sentence: expect.stringContaining("the environment `loopwright`, the App's webhook"),
  });
  const body = { message: 'Resource not accessible by integration' };
  const isRefused = (path: string) => path.includes('/environments/') || path.endsWith('/hook/config');
  expect(await rowOf('of doctor', { tampering: answering(403, body, isRefused) })).toMatchObject({
    state: 'wrong',
    sentence: "The App may not read the environment `loopwright`, the App's webhook: `doctor` says nothing of it here.",
  });
});

test('a limit that ends the looks of doctor refuses the App nothing', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 1800) };
  const body = { message: 'API rate limit exceeded for installation ID 1.' };
  const tampering: Tampering = (answer, { url }) =>
    /environments|\/hook\//.test(url) ? Response.json(body, { status: 403, headers }) : answer;
  expect(await rowOf('of doctor', { tampering })).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/^GitHub takes no more requests for now: .*API rate limit exceeded/),
  });
});

test('what is hidden as if it were not there is no answer, but for what a repository may be without', async () => {
  const isAbout = (path: string) => /\/rules\/|environments|\/hook\/|\/branches\//.test(path);
  expect(await rowOf('of doctor', { tampering: answering(404, { message: 'Not Found' }, isAbout) })).toMatchObject({
    state: 'wrong',
    sentence:
      "The App may not read the rules of the default branch (404), the App's webhook (404), its deliveries (404): `doctor` says nothing of it here.",
  });
  const isOptional = (path: string) => /environments|(?<!rules)\/branches\//.test(path);
  const missing = answering(404, { message: 'Not Found' }, isOptional);
  expect(await rowOf('of doctor', { tampering: missing })).toMatchObject({ state: 'ok' });
});

test('who may bypass rules is claimed only where there is a ruleset to read it of', async () => {
  const without = await rowOf('of doctor');
  await stage.arrange({ rules: [{ type: 'non_fast_forward' }] });
  const within = await rowOf('of doctor');
  await stage.arrange();
  expect(without?.sentence).not.toContain('bypass');
  expect(within).toMatchObject({ sentence: expect.stringContaining('who may bypass them') });
});

const withHeaders =
  (change: (headers: Headers) => void): Tampering =>
  (answer) => {
    const headers = new Headers(answer.headers);
    change(headers);
    const changed = new Response(answer.body, { status: answer.status, headers });
    return Object.defineProperty(changed, 'url', { value: answer.url });
  };

const isRead = ({ method, url }: Request) => method === 'GET' && /\/repositories\/\d+$/.test(url);

const limited = (requestsPerMinute: number | null, creationsPerMinute: number | null = null) =>
  stage.local('PATCH', '/faults/limits', { requestsPerMinute, creationsPerMinute }, 'alice');

test('answers without the headers of the limit are told', async () => {
  expect(await rowOf('headers')).toMatchObject({
    state: 'wrong',
    sentence: 'Answers lack x-ratelimit-remaining and x-ratelimit-reset, by which the App knows how long to wait.',
  });
  const asServer = withHeaders((all) => all.set('x-github-enterprise-version', '3.22.0'));
  expect(await rowOf('headers', { tampering: asServer })).toMatchObject({
    state: 'unknown',
    sentence: expect.stringContaining('this GitHub Enterprise Server has no limits on'),
  });
});

test('an unchanged answer that counts against the limit is told, and so is one that is sent whole', async () => {
  await limited(1000);
  expect(await rowOf('headers')).toMatchObject({ state: 'ok', sentence: expect.stringContaining('does not count') });
  let left = 900;
  const counting: Tampering = (answer) => {
    left -= 1;
    const headers = { ...Object.fromEntries(answer.headers), 'x-ratelimit-remaining': String(left) };
    return answer.status === 304 ? new Response(null, { status: 304, headers }) : answer;
  };
  expect(await rowOf('headers', { tampering: counting })).toMatchObject({
    state: 'wrong',
    sentence: expect.stringMatching(/counts against the limit \(\d+ of 1000 left, then \d+ of 1000 left\)/),
  });
  let changes = 1;
  const once = withHeaders((all) => {
    if (changes-- > 0) all.delete('etag');
  });
  expect(
    await rowOf('headers', { tampering: (answer, request) => (isRead(request) ? once(answer, request) : answer) }),
  ).toMatchObject({
    state: 'ok',
  });
  const whole = withHeaders((all) => all.delete('etag'));
  expect(await rowOf('headers', { tampering: whole })).toMatchObject({
    state: 'wrong',
    sentence: expect.stringContaining('was sent whole'),
  });
  await limited(null);
});

test('what an unchanged answer without headers has cost is told by what is left after it', async () => {
  await limited(1000);
  const bare: Tampering = (answer) => (answer.status === 304 ? new Response(null, { status: 304 }) : answer);
  expect(await rowOf('headers', { tampering: bare })).toMatchObject({
    state: 'ok',
    sentence: expect.stringMatching(
      /^Answers tell the limit \(\d+ of 1000 left\); one .* does not, nor does it count\.$/,
    ),
  });
  let left = 900;
  const counting: Tampering = (answer, request) => {
    if (!isRead(request)) return answer;
    left -= 1;
    return answer.status === 304
      ? new Response(null, { status: 304 })
      : withHeaders((all) => all.set('x-ratelimit-remaining', String(left)))(answer, request);
  };
  expect(await rowOf('headers', { tampering: counting })).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/whether it counts could not be seen\.$/),
  });
  await limited(null);
});

const isComment = ({ method, url }: Request) => method === 'POST' && url.endsWith('/comments');

test('a comment that is refused for another reason than a limit shows no limit', async () => {
  const body = { message: 'Resource not accessible by integration' };
  const tampering: Tampering = (answer, request) =>
    isComment(request) ? Response.json(body, { status: 403 }) : answer;
  expect(await rowOf('load', { mayLoad: true, tampering })).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/^After 1 in \d+ s it was refused, and for no limit .*Resource not accessible/),
  });
});

test('an interruption of the load says that it was one', async () => {
  const stopping = new AbortController();
  let comments = 0;
  const tampering: Tampering = (answer, request) => {
    if (isComment(request)) comments += 1;
    if (comments === 3) stopping.abort();
    return answer;
  };
  expect(await rowOf('load', { mayLoad: true, signal: stopping.signal, tampering })).toMatchObject({
    state: 'unknown',
    sentence: 'It was interrupted after 4, all taken.',
  });
});

test('a load is tried only where it may be, and a GitHub that takes less is told in its words', async () => {
  expect(await rowOf('load')).toMatchObject({ state: 'unknown', remedy: 'Say --load where it may be.' });
  await limited(null, 12);
  expect(await rowOf('load', { mayLoad: true })).toMatchObject({
    state: 'wrong',
    sentence: expect.stringMatching(/^After 12 in \d+ s it was refused: .*secondary rate limit/),
  });
  await limited(null);
});

test('a page is asked for only where a person is there, and what comes of it is compared to the letter', async () => {
  expect(await rowOf('new file')).toMatchObject({ state: 'unknown', remedy: expect.stringContaining('--person') });
  const changed = (text: string) => text.replace('Größe', 'Grosse');
  expect(await rowOf('new file', { hasPerson: true, say: personOn(stage, changed) })).toMatchObject({
    state: 'wrong',
    sentence: String.raw`The page for a new file changed the text: in line 2 "öße & Maß'\nrun: |\n  " became "osse & Maß'\nrun: |\n ".`,
  });
  const cut = (text: string) => text.slice(0, -1);
  expect(await rowOf('new file', { hasPerson: true, say: personOn(stage, cut) })).toMatchObject({
    state: 'wrong',
    sentence: String.raw`The page for a new file changed the text: in line 4 "\n" became "".`,
  });
});

test('a page that nobody opened is not known, and what was to be done was said', async () => {
  const said: string[] = [];
  const say = (sentence: string) => void said.push(sentence);
  expect(await rowOf('new file', { hasPerson: true, say, longPatienceMs: 200 })).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(
      /^loopwright-probe-\S+\.yml did not come to loopwright\/probe-page-\S+ within 1 min\.$/,
    ),
  });
  expect(said).toEqual([
    expect.stringMatching(/open this page, .*\/alice\/toys\/new\/loopwright\/probe-page-\S+\?filename=/),
  ]);
});

test.each([
  [
    'of another line',
    (body: object[]) => body.map((one) => ({ ...one, line: 3 })),
    /tells line 3 of loopwright-probe-/,
  ],
  ['of no line', (body: object[]) => body.map((one) => ({ ...one, side: 'LEFT' })), /tells line of none of/],
  ['of none', () => [], /not among the comments of that review/],
] as const)('a review whose comment is %s is told', async (_, changed, sentence) => {
  const tampering = json(changed, (path) => /\/reviews\/\d+\/comments$/.test(path));
  expect(await rowOf('lines of a review', { tampering })).toMatchObject({
    state: 'wrong',
    sentence: expect.stringMatching(sentence),
  });
});

test('a review whose comment GitHub tells late is asked for again', async () => {
  let asked = 0;
  const late = json(
    (body: object[]) => (++asked < 2 ? [] : body),
    (path) => /\/reviews\/\d+\/comments$/.test(path),
  );
  expect(await rowOf('lines of a review', { tampering: late })).toMatchObject({ state: 'ok' });
  expect(asked).toBe(2);
});

test('a draft that GitHub tells late is asked for again', async () => {
  let asked = 0;
  const late = json(
    (body: object) => (++asked === 2 ? { ...body, draft: true } : body),
    (path) => /\/pulls\/\d+$/.test(path),
  );
  expect(await rowOf('draft and back', { tampering: late })).toMatchObject({ state: 'ok' });
  expect(asked).toBe(4);
});

/** The first of them is done, and not heard. */
const unheardOnce = (isAbout: (request: Request) => boolean): Tampering => {
  let asked = 0;
  return (answer, request) =>
    isAbout(request) && asked++ === 0 ? Response.json({ message: 'Bad Gateway' }, { status: 502 }) : answer;
};

test('two check runs that one request made are there, though its answer was not heard', async () => {
  const tampering = unheardOnce(({ url }) => url.endsWith('/graphql'));
  expect(await rowOf('several at once', { tampering })).toMatchObject({
    state: 'ok',
    sentence: 'Two check runs written by one request are both there.',
  });
});

test('what was written after an answer that nobody heard shows nothing of that request', async () => {
  const unheard = unheardOnce(({ url }) => url.endsWith('/graphql'));
  const one = json(
    (body: { check_runs: object[] }) => ({ ...body, total_count: 1, check_runs: body.check_runs.slice(0, 1) }),
    (path) => path.endsWith('/check-runs'),
  );
  let listed = 0;
  const tampering: Tampering = (answer, request) =>
    request.method === 'GET' && request.url.includes('/check-runs') && listed++ < 2
      ? one(answer, request)
      : unheard(answer, request);
  expect(await rowOf('several at once', { tampering })).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/^What GitHub did with two check runs in one request was not heard/),
  });
});

test('a list of check runs that stays late shows nothing', async () => {
  const late = json(
    (body: { check_runs: object[] }) => ({ ...body, check_runs: body.check_runs.slice(0, 1) }),
    (path) => path.endsWith('/check-runs'),
  );
  expect(await rowOf('several at once', { tampering: late })).toMatchObject({
    state: 'unknown',
    sentence: 'Two check runs were written by one request, and are not both listed within 2 s.',
    remedy: expect.stringContaining('--wait'),
  });
});

test('what moves between two reads is read again', async () => {
  let asked = 0;
  const moving = json(
    (body: object) => ({ ...body, pushed_at: ++asked === 1 ? '2020-01-01T00:00:00Z' : '2021-01-01T00:00:00Z' }),
    (path) => /\/(?:repos\/alice\/toys|repositories\/\d+)$/.test(path),
  );
  expect(await rowOf('by id', { tampering: moving })).toMatchObject({ state: 'ok' });
});

test('a default branch is read by its name, whatever is in it', async () => {
  const { rest } = stage.as('alice');
  const { data } = await rest.git.getRef({ ...HERE, ref: 'heads/main' });
  await rest.git.createRef({ ...HERE, ref: 'refs/heads/a#b/c', sha: data.object.sha });
  const tampering = json(
    (body: object) => ({ ...body, default_branch: 'a#b/c' }),
    (path) => /\/(?:repos\/alice\/toys|repositories\/\d+)$/.test(path),
  );
  const { rows } = await stage.probed(['by id'], { tampering });
  await rest.git
    .deleteRef({ ...HERE, ref: 'heads/a%23b/c' })
    .catch(() => rest.git.deleteRef({ ...HERE, ref: 'heads/a#b/c' }));
  expect(rows[0]).toMatchObject({ state: 'ok' });
});

test('an App that may do more than register asks for is told', async () => {
  await stage.arrange({ permissions: { ...PERMISSIONS, administration: 'write' } });
  const row = await rowOf('as registered');
  await stage.arrange();
  expect(row).toMatchObject({
    state: 'wrong',
    sentence: expect.stringContaining(': the permission administration: write is more than that.'),
  });
});

test('an App that lacks what register asks for is told, with all that it lacks', async () => {
  await stage.arrange({ permissions: PERMISSIONS });
  expect(await rowOf('as registered')).toMatchObject({ state: 'ok' });
  await stage.arrange({
    permissions: {
      metadata: 'read',
      contents: 'read',
      issues: 'write',
      pull_requests: 'write',
      actions: 'write',
      statuses: 'read',
      merge_queues: 'read',
      administration: 'read',
    },
    events: ['issues'],
  });
  const lacking = await stage.probed(['as registered'], { publicUrl: 'https://elsewhere.example' });
  await stage.arrange();
  expect(lacking.rows[0]).toMatchObject({
    state: 'wrong',
    sentence: expect.stringMatching(
      /: the permission contents: write is missing; the permission checks: write is missing; the permission administration: read is more than that; the event issue_comment is missing; .*; webhooks go to http:\S+, not to https:\/\/elsewhere\.example\/api\/github\/webhooks\.$/,
    ),
  });
  expect(await rowOf('as registered', { publicUrl: undefined })).toMatchObject({
    state: 'unknown',
    remedy: 'Correct PUBLIC_URL first.',
  });
});
