/** `loopwright doctor`: says what is missing for the real App, each with its remedy. */
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
  json: { type: 'boolean', description: 'print one JSON object, and nothing else on standard output' },
} as const;

/** Of one request; of the model, without a sound. */
const WITHIN_MS = 10_000;
const MODEL_WITHIN_MS = 60_000;

/** What the process ends with. */
const ALL_RIGHT = 0;
const NOT_RIGHT = 1;
const NOT_LOOKED = 2;

export const doctor: Command = {
  summary:
    'say what is missing for the real App: its settings, GitHub, the model, this machine; reads only, unless it is to probe, and asks the model once',
  usage: '[--repo owner/name [--probe --yes [--wait SECONDS]]] [--json]',
  options: OPTIONS,
  run: (argv, terminal) => orUnjudged(terminal, NOT_LOOKED, () => runIn(argv, terminal)),
};

async function runIn(argv: readonly string[], { out, fail }: Terminal): Promise<number> {
  const { values } = optionsOf({ command: 'doctor', argv, options: OPTIONS });
  if (values.probe === true) return probe(values, { out, fail });
  const report = await examine({
    environment: examinedEnvironment(),
    place: values.repo === undefined ? undefined : placeOf(values.repo),
    sandboxProblem: sandboxProblemHere,
    withinMs: WITHIN_MS,
    modelWithinMs: MODEL_WITHIN_MS,
  });
  if (values.json === true) out(JSON.stringify(report));
  else for (const line of reportLines(report)) out(line);
  return exitCodeOf(report);
}

interface ProbeWords {
  readonly wait?: string | undefined;
  readonly repo?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** @throws {UsageError} where nobody says in which repository it may write. */
async function probe({ repo, yes, json, wait = '30' }: ProbeWords, terminal: Terminal): Promise<number> {
  if (repo === undefined)
    throw new UsageError(
      '--probe writes commits, check runs and a pull request; name a repository for that with --repo.',
    );
  if (yes !== true)
    throw new UsageError(
      `--probe writes commits, check runs, a branch, a pull request and a run in ${repo}, and takes back what can be taken back; say --yes where it may.`,
    );
  if (!/^[1-9]\d{0,3}$/.test(wait)) throw new UsageError(`--wait is "${wait}"; write whole seconds, as in --wait 30.`);
  const environment = examinedEnvironment();
  const place = placeOf(repo);
  const signal = interruption(() => terminal.fail(STOPPING));
  const request = { place, environment, signal, json: json === true, patienceMs: Number(wait) * 1000 };
  const probed = await probeIn(request, terminal);
  return signal.aborted ? INTERRUPTED : exitCodeOf(probed);
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
