/** `loopwright doctor`: says what is missing for the real App, each with its remedy. */
import { QUESTION_SILENCE_MS } from '../adapters/model-question.ts';
import { examine, type Report } from '../doctor/doctor.ts';
import { reportLines } from '../doctor/report-text.ts';
import { UsageError } from '../errors.ts';
import { examinedEnvironment } from '../settings/env.ts';
import { type Command, optionsOf, orUnjudged, type Terminal } from './command.ts';
import { probeIn } from './doctor-probe.ts';
import { INTERRUPTED, interruption, STOPPING } from './interruption.ts';
import { sandboxProblemHere } from './sandbox-here.ts';

const OPTIONS = {
  repo: { type: 'string', value: 'owner/name', description: 'look at this repository too, where the App is to work' },
  probe: {
    type: 'boolean',
    description:
      'try there what a loop takes for granted of GitHub, and take back what that writes; for a repository to try things in',
  },
  yes: { type: 'boolean', description: 'with --probe: it may write there' },
  wait: {
    type: 'string',
    value: 'SECONDS',
    description: 'with --probe: how long GitHub may take to start or tell something (default: 30)',
  },
  minutes: {
    type: 'string',
    value: 'N',
    description: 'with --probe: how long its run, and with --person a person, may take (default: 5)',
  },
  load: {
    type: 'boolean',
    description: 'with --probe: write as many comments in a minute as GitHub says that it takes',
  },
  person: {
    type: 'boolean',
    description: 'with --probe: somebody is there, to open a link and commit what the page is filled in with',
  },
  json: { type: 'boolean', description: 'print one JSON object, and nothing else on standard output' },
} as const;

const PROBE_ONLY = ['yes', 'wait', 'minutes', 'load', 'person'] as const;

/** Of one request. */
const WITHIN_MS = 10_000;

/** What the process ends with. */
const ALL_RIGHT = 0;
const NOT_RIGHT = 1;
const NOT_LOOKED = 2;

export const doctor: Command = {
  summary:
    'say what is missing for the real App: its settings, GitHub, the model, this machine; reads only, unless it is to probe, and asks the model once',
  usage: '[--repo owner/name [--probe --yes [--wait SECONDS] [--minutes N] [--load] [--person]]] [--json]',
  options: OPTIONS,
  run: (argv, terminal) => orUnjudged(terminal, { argv, code: NOT_LOOKED, inJson: (error) => ({ error }) }, runIn),
};

async function runIn(argv: readonly string[], { out, fail }: Terminal): Promise<number> {
  const { values } = optionsOf({ command: 'doctor', argv, options: OPTIONS });
  if (values.probe === true) return probe(values, { out, fail });
  const [stray] = PROBE_ONLY.filter((name) => values[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} is about a probe; say --probe too, or leave it out.`);
  const report = await examine({
    environment: examinedEnvironment(),
    place: values.repo === undefined ? undefined : placeOf(values.repo),
    sandboxProblem: sandboxProblemHere,
    withinMs: WITHIN_MS,
    modelWithinMs: QUESTION_SILENCE_MS,
  });
  if (values.json === true) out(JSON.stringify(report));
  else for (const line of reportLines(report)) out(line);
  return exitCodeOf(report);
}

interface ProbeWords {
  readonly wait?: string | undefined;
  readonly minutes?: string | undefined;
  readonly load?: boolean | undefined;
  readonly person?: boolean | undefined;
  readonly repo?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** @throws {UsageError} where nobody says in which repository it may write. */
async function probe(words: ProbeWords, terminal: Terminal): Promise<number> {
  const { repo, yes, json, wait = '30', minutes = '5', load, person } = words;
  if (repo === undefined)
    throw new UsageError(
      '--probe writes commits, check runs and pull requests; name a repository for that with --repo.',
    );
  if (yes !== true)
    throw new UsageError(
      `--probe writes commits, check runs, branches, pull requests and runs in ${repo}, and takes back what can be taken back; say --yes where it may.`,
    );
  const patienceMs = 1000 * wholeOf(wait, '--wait', 'seconds');
  const longPatienceMs = 60_000 * wholeOf(minutes, '--minutes', 'minutes');
  const environment = examinedEnvironment();
  const place = placeOf(repo);
  const standing = new Set<string>();
  const signal = interruption(
    () => terminal.fail(STOPPING),
    () => {
      for (const what of standing) terminal.fail(`${what} may be left: its end was not waited for.`);
    },
  );
  const allowed = { json: json === true, mayLoad: load === true, hasPerson: person === true };
  const probed = await probeIn(
    { place, environment, signal, standing, patienceMs, longPatienceMs, ...allowed },
    terminal,
  );
  return signal.aborted ? INTERRUPTED : exitCodeOf(probed);
}

function wholeOf(text: string, option: '--wait' | '--minutes', unit: 'seconds' | 'minutes'): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  const example = unit === 'seconds' ? 30 : 5;
  throw new UsageError(`${option} is "${text}"; write whole ${unit}, as in ${option} ${example}.`);
}

/** What is unknown is told, and is no failure. */
function exitCodeOf({ counts }: Pick<Report, 'counts'>): number {
  return counts.missing + counts.wrong === 0 ? ALL_RIGHT : NOT_RIGHT;
}

function placeOf(name: string) {
  const [, owner, repo] = /^([\w-]+)\/([\w.-]+)$/.exec(name) ?? [];
  if (owner !== undefined && repo !== undefined && !/^\.{1,2}$/.test(repo)) return { owner, repo };
  throw new UsageError(`--repo is "${name}"; write owner/name, as in --repo acme/shop.`);
}
