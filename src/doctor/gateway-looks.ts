/** Looks at the way from outside to the App: what can be known from here, and what only a run shows. */
import type { RepositoryInspection } from '../github/inspection-port.ts';
import { WORKFLOWS } from '../settings/config.ts';
import { type Finding, missing, needed, ok, unknown, wrong } from './finding.ts';
import { looksAt } from './look.ts';
import { type Reached, reach } from './outside.ts';

export const gatewayLooks = looksAt('gateway', {
  'PUBLIC_URL from here': async ({ environment, withinMs }) => {
    const url = needed(environment.app.PUBLIC_URL, 'PUBLIC_URL').replace(/\/$/, '');
    return reachedFinding(url, await reach(`${url}${NO_JOB}`, withinMs));
  },
  'PUBLIC_URL from a run': async ({ environment, place, ward }) => {
    const { PUBLIC_URL, GITHUB_API_URL } = environment.app;
    const { hostname } = new URL(needed(PUBLIC_URL, 'PUBLIC_URL'));
    if (GITHUB_API_URL === 'https://api.github.com' && PRIVATE_HOST.test(hostname))
      return wrong(
        `${hostname} is an address within this network, which neither github.com nor its runners reach.`,
        'Set PUBLIC_URL to an address that the internet reaches.',
      );
    const began = place === undefined ? undefined : await lastGoodRun((await ward()).look);
    // An address that a run has reached may have been another one.
    return unknown(
      `Whether runners reach ${hostname} cannot be seen from here; ${
        began === undefined
          ? 'no run of ours is seen to have ended well'
          : `the run of ${began} reached the address of that day`
      }.`,
      'Label an issue, and see that `loopwright-build` ends well.',
    );
  },
});

/** Names a job that there is not: the App says so in a sentence that nobody else has. */
const NO_JOB = `/jobs/job-${'0'.repeat(64)}.mjs`;
const OWN_WORDS = /This App keeps no such job, its own is job-[0-9a-f]{64}\.mjs/;

const START = 'Start the App with `npm start`, or correct PUBLIC_URL.';

function reachedFinding(url: string, reached: Reached): Finding {
  if ('problem' in reached) {
    const sentence = `${url} gives no answer (${reached.problem})`;
    const findings: Readonly<Record<string, Finding>> = {
      ECONNREFUSED: missing(`${sentence}: the App does not run, or runs elsewhere.`, START),
      ENOTFOUND: wrong(`${sentence}: there is no such name.`, 'Correct PUBLIC_URL, or its entry in the name service.'),
    };
    return (
      findings[reached.problem] ??
      unknown(`${sentence}; that may be so from here only.`, 'Open it in a browser from elsewhere, as GitHub would.')
    );
  }
  if (OWN_WORDS.test(reached.text)) return ok(`The App answers at ${url}.`);
  return wrong(`${url} answers with ${reached.status}, and that is not the App.`, START);
}

/** Of this machine or of a network of one's own: https://www.rfc-editor.org/rfc/rfc1918 */
const PRIVATE_HOST =
  /^(?:localhost|\[::1\]|.*\.(?:local|internal)|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|169\.254\..*)$/;

/** When the newest run of ours that ended well began: it has taken its job from the App. */
async function lastGoodRun(look: RepositoryInspection): Promise<string | undefined> {
  const times = await Promise.all(Object.values(WORKFLOWS).map((name) => look.lastGoodRun(name)));
  return times
    .flatMap((time) => time ?? [])
    .toSorted()
    .at(-1);
}
