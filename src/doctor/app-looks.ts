/** Looks at the App's registration: who GitHub thinks that it is, and what it may do and hear, beside `app.yml`. */
import { LoopError } from '../errors.ts';
import { keyRefusal } from '../github/key-refusal.ts';
import { type Finding, failedLook, needed, ok, wrong } from './finding.ts';
import { listed, looksAt } from './look.ts';
import type { Patient } from './patient.ts';
import { unreachableFinding } from './unreachable.ts';

export const appLooks = looksAt('App', {
  credentials: async ({ app, environment }) => {
    const apiUrl = needed(environment.app.GITHUB_API_URL, 'GITHUB_API_URL');
    try {
      const { slug = 'without a name' } = await app();
      return ok(`${new URL(apiUrl).host} accepts them: the App is \`${slug}\`.`);
    } catch (error) {
      return refusalOf(error, apiUrl);
    }
  },
  name: async (patient) => {
    await patient.github();
    const { slug } = await patient.app();
    const ours = needed(patient.environment.app.APP_SLUG, 'APP_SLUG');
    return slug === ours
      ? ok(`APP_SLUG is \`${ours}\`, as GitHub has it.`)
      : wrong(
          `GitHub calls the App \`${slug}\`, and APP_SLUG is \`${ours}\`: it would not know its own comments.`,
          `Set APP_SLUG to \`${slug}\`.`,
        );
  },
  permissions: async (patient) => {
    await patient.github();
    const [{ permissions, url }, wanted] = [await patient.app(), await patient.wanted()];
    return comparison({
      lacking: lackingOf(wanted.permissions, permissions),
      tooMuch: lackingOf(permissions, wanted.permissions),
      sentence: 'The App asks for what app.yml lists, and for nothing else.',
      remedy: `Change the permissions of the App to those of app.yml, at ${url}; every installation then has to accept them.`,
    });
  },
  events: async (patient) => {
    await patient.github();
    const [{ events, url }, wanted] = [await patient.app(), await patient.wanted()];
    return comparison({
      lacking: wanted.events.filter((name) => !events.includes(name)),
      tooMuch: events.filter((name) => !wanted.events.includes(name)),
      sentence: 'The App hears of what app.yml lists, and of nothing else.',
      remedy: `Change the events that the App subscribes to to those of app.yml, at ${url}.`,
    });
  },
});

type Levels = Readonly<Record<string, string>>;

const RANKS: readonly string[] = ['read', 'write', 'admin'];

/** What `wanted` has and `granted` has not, or at a lower level: `contents: write`. */
export function lackingOf(wanted: Levels, granted: Levels): readonly string[] {
  const rankOf = (level: string | undefined): number => (level === undefined ? -1 : RANKS.indexOf(level));
  return Object.entries(wanted)
    .filter(([name, level]) => rankOf(granted[name]) < rankOf(level))
    .map(([name, level]) => `${name}: ${level}`);
}

interface Comparison {
  readonly lacking: readonly string[];
  readonly tooMuch: readonly string[];
  readonly sentence: string;
  readonly remedy: string;
}

function comparison({ lacking, tooMuch, sentence, remedy }: Comparison): Finding {
  if (lacking.length === 0 && tooMuch.length === 0) return ok(sentence);
  const parts = [
    ...(lacking.length === 0 ? [] : [`${listed(lacking)} ${lacking.length === 1 ? 'is' : 'are'} missing`]),
    ...(tooMuch.length === 0 ? [] : [`${listed(tooMuch)} ${tooMuch.length === 1 ? 'is' : 'are'} superfluous`]),
  ];
  return { state: lacking.length === 0 ? 'wrong' : 'missing', sentence: `${parts.join(', and ')}.`, remedy };
}

/** A 404 that does not speak of the App says that there is no API. */
function refusalOf(error: unknown, apiUrl: string): Finding {
  const unreachable = unreachableFinding(error, apiUrl);
  if (unreachable !== undefined) return unreachable;
  if (!(error instanceof LoopError) || (error.status !== 401 && error.status !== 404)) return failedLook(error);
  const refusal = keyRefusal(error);
  return refusal === undefined
    ? wrong(
        `${apiUrl} is no address of GitHub's API: ${error.message}`,
        'Set GITHUB_API_URL to https://<host>/api/v3, or unset it for github.com.',
      )
    : wrong(`GitHub does not accept them: ${refusal.reason}`, refusal.remedy);
}

/** What an installation lacks of what the App asks for waits for its owner; what the App does not ask for is told elsewhere. */
export async function waitingIn(patient: Patient, granted: Levels): Promise<readonly string[]> {
  const [{ permissions }, wanted] = [await patient.app(), await patient.wanted()];
  const asked = Object.entries(permissions).filter(([name]) => wanted.permissions[name] !== undefined);
  return lackingOf(Object.fromEntries(asked), granted);
}
