/** Shows how a job stands on its runner: whether GitHub gives it a token that the App's gateway takes, and whether the sandbox works there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { jsonOf } from '../../documents/json.ts';
import { IdentityError } from '../../errors.ts';
import { REFUSAL_HEADER, UNAWAITED } from '../../loop/call-headers.ts';
import { CLAIM_NAMES, type RunnerReport, runnerReport, type ToldClaims } from '../../probe/runner-report.ts';
import { createIdentityToken } from '../identity-token.ts';
import { type AskedJob, deliver, inSandbox, loggedFailure } from '../in-sandbox.ts';
import type { JobVariables } from '../run-job.ts';

type Seeing = Omit<AskedJob<never>, 'brief'>;

export async function seeRunner(job: Seeing): Promise<void> {
  const token = await tokenTold(job.variables);
  const sandbox = await sandboxTold(job);
  await deliver(runnerReport.parse({ kind: 'probe', version: 1, token, sandbox }), job.variables);
  job.log(`probe: ${token.said} ${sandbox.said}`);
}

const MOST = 1000;
const NO_TOKEN =
  'GitHub gives this job no way to ask for a token: its workflow lacks `permissions: id-token: write`, or is older than this App.';

async function tokenTold(variables: JobVariables): Promise<RunnerReport['token']> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = variables;
  const { LOOPWRIGHT_MODEL_URL: gateway } = variables;
  const audience = gateway.slice(0, -GATEWAY.length);
  // Who the job is it says to nobody but whom the token is for.
  if (!gateway.endsWith(GATEWAY)) return { type: 'none', said: `"${gateway.slice(0, 200)}" is no gateway of an App.` };
  if (url === '' || token === '') return { type: 'none', said: NO_TOKEN };
  try {
    const value = await createIdentityToken({ url, token, audience })();
    return { type: 'asked', claims: claimsIn(value), ...(await answerOf(gateway, value)) };
  } catch (error) {
    if (error instanceof IdentityError) return { type: 'none', said: error.message.slice(0, MOST) };
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'none', said: `${gateway} gave no answer: ${why}`.slice(0, MOST) };
  }
}

/** Below the App's own address. */
const GATEWAY = '/gateway/v1';

type Answer = Omit<Extract<RunnerReport['token'], { readonly type: 'asked' }>, 'type' | 'claims'>;

/** While another run is being dispatched the App cannot tell yet whose this one is. */
const NOT_YET = 425;
const TRIES = 30;
const PAUSE_MS = 2000;
const LONGEST_MS = 30_000;

/** Asks no model: what is sent is no request for one. */
async function answerOf(gateway: string, token: string): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${gateway}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
      redirect: 'error',
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    const answer = answerIn(response, await response.text());
    if (answer.status !== NOT_YET || tries === TRIES) return answer;
    await sleep(PAUSE_MS);
  }
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
