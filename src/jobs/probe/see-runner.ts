/** Shows how a job stands on its runner: whether GitHub gives it a token that the App's gateway takes, and whether the sandbox works there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { jsonOf } from '../../documents/json.ts';
import { IdentityError } from '../../errors.ts';
import { REFUSAL_HEADER, UNAWAITED } from '../../loop/call-headers.ts';
import { CLAIM_NAMES, isPassing, type RunnerReport, runnerReport, type ToldClaims } from '../../probe/runner-report.ts';
import { createIdentityToken } from '../identity-token.ts';
import { type AskedJob, deliver, inSandbox, loggedFailure } from '../in-sandbox.ts';

interface Seeing extends Omit<AskedJob<never>, 'brief'> {
  /** Before the App is asked again. */
  readonly pauseMs?: number;
}

export async function seeRunner(job: Seeing): Promise<void> {
  const token = await tokenTold(job);
  const sandbox = await sandboxTold(job);
  await deliver(runnerReport.parse({ kind: 'probe', version: 2, token, sandbox }), job.variables);
  job.log(`probe: ${token.said} ${sandbox.said}`);
}

const MOST = 1000;
const NO_TOKEN =
  'GitHub gives this job no way to ask for a token: its workflow lacks `permissions: id-token: write`, or is older than this App.';

async function tokenTold({ variables, pauseMs = PAUSE_MS }: Seeing): Promise<RunnerReport['token']> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = variables;
  const { LOOPWRIGHT_MODEL_URL: gateway } = variables;
  const audience = gateway.slice(0, -GATEWAY.length);
  // Who the job is it says to nobody but whom the token is for.
  if (!gateway.endsWith(GATEWAY)) return { type: 'none', said: `"${gateway.slice(0, 200)}" is no gateway of an App.` };
  if (url === '' || token === '') return { type: 'none', said: NO_TOKEN };
  try {
    const value = await createIdentityToken({ url, token, audience, pauseMs })();
    return { type: 'asked', claims: claimsIn(value), ...(await answerOf(gateway, value, pauseMs)) };
  } catch (error) {
    const said = error instanceof IdentityError ? error.message : `${gateway} gave no answer: ${reasonOf(error)}`;
    return { type: 'unheard', said: said.slice(0, MOST) };
  }
}

/** `fetch` says why in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** Below the App's own address. */
const GATEWAY = '/gateway/v1';

type Answer = Omit<Extract<RunnerReport['token'], { readonly type: 'asked' }>, 'type' | 'claims'>;

/** While another run is being dispatched the App cannot tell yet whose this one is. */
const NOT_YET = 425;
const TRIES = 30;
/** Of what fails otherwise for now: it need not be over within the run. */
const FAILURES = 5;
const PAUSE_MS = 2000;
const LONGEST_MS = 30_000;

/** Asks again while the answer says only that there is none now. @throws {Error} where none comes. */
async function answerOf(gateway: string, token: string, pauseMs: number): Promise<Answer> {
  let failures = 0;
  for (let tries = 1; ; tries += 1) {
    const answer = await askOnce(gateway, token).catch((error: unknown) => {
      if (failures + 1 >= FAILURES) throw error;
      return undefined;
    });
    if (answer?.status !== NOT_YET) failures += 1;
    const isLast = tries >= TRIES || failures === FAILURES;
    if (answer !== undefined && (isLast || !isPassing(answer.status))) return answer;
    await sleep(pauseMs);
  }
}

/** Asks no model: what is sent is no request for one. */
async function askOnce(gateway: string, token: string): Promise<Answer> {
  const response = await fetch(`${gateway}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
    redirect: 'error',
    signal: AbortSignal.timeout(LONGEST_MS),
  });
  return answerIn(response, await response.text());
}

const refusal = z.object({ error: z.object({ type: z.string(), message: z.string() }) });

function answerIn({ status, headers }: Response, text: string): Answer {
  const { data } = refusal.safeParse(jsonOf(text));
  const isApp = headers.get(REFUSAL_HEADER) === 'true';
  const said = (data?.error.message ?? text).slice(0, MOST);
  return { status, isApp, isUnawaited: isApp && data?.error.type === UNAWAITED, said };
}

function claimsIn(token: string): ToldClaims {
  const payload = jsonOf(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const found = z.record(z.string(), z.unknown()).safeParse(payload).data ?? {};
  return Object.fromEntries(
    CLAIM_NAMES.flatMap((name) => (found[name] === undefined ? [] : [[name, String(found[name]).slice(0, 300)]])),
  );
}

const WORD = 'enclosed';
const COMMAND_MS = 60_000;

async function sandboxTold(job: Seeing): Promise<RunnerReport['sandbox']> {
  try {
    return await inSandbox({ ...job, brief: { commands: {} } }, async ({ sandbox, repository }) => {
      const argv = ['sh', '-c', `echo ${WORD}`];
      const { stdout, stderr } = await sandbox.run({
        ...{ argv, directory: repository.workspace, timeoutMs: COMMAND_MS, outputBytes: MOST },
      });
      const works = stdout.trim() === WORD;
      const told = works ? ['A command ran in it.', ...sandbox.missing] : ['A command failed in it:', stderr, stdout];
      return { works, said: told.join(' ').trim().slice(0, MOST) };
    });
  } catch (error) {
    return { works: false, said: loggedFailure(error, job.log).slice(0, MOST) };
  }
}
