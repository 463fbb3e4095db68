/** Tries what `init` has guessed, in the sandbox and on a copy: the runner on a few test files, and the whole suite once. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../errors.ts';
import { openSandbox, type Sandbox, treesDirectory } from '../sandbox/sandbox.ts';
import type { GuessedTests, ShownTests } from '../settings/guessed-config.ts';
import { suiteCommand } from '../test-runs/test-run.ts';
import { filesToTry, NO_TEST, remedyFor, type Tried, triedSentence, tryRunner } from '../test-runs/tried-runner.ts';
import { installedIn, pythonOf } from '../trees/checkout.ts';
import { onCopy } from '../trees/copies.ts';
import { layWorkingCopy, type WorkingFile, workingFiles } from '../trees/working-copy.ts';
import type { Terminal } from './command.ts';
import { inScratch } from './scratch.ts';

/** The first of the guesses whose runner is seen to work; where none is, the first one with the reason. Nothing of the checkout is written. */
export async function triedTests(
  directory: string,
  guesses: readonly [ShownTests, ...ShownTests[]],
  terminal: Terminal,
): Promise<GuessedTests> {
  const files = await workingFiles(directory);
  const askable = guesses.map((guess) => ({ ...guess, files: filesToTry(files, guess.runner) }));
  const [first, ...others] = askable.filter((guess) => guess.files.length > 0);
  if (first === undefined) return unseen(guesses[0], NO_TEST, remedyFor(NO_TEST));
  return inScratch('init', terminal, (scratch) => triedIn({ scratch, directory, files, terminal }, [first, ...others]));
}

/** A guess with the test files that can show it, the best to try first. */
interface Askable extends ShownTests {
  readonly files: readonly string[];
}

interface Place {
  readonly scratch: string;
  readonly directory: string;
  readonly files: readonly WorkingFile[];
  readonly terminal: Terminal;
}

interface Room extends Place {
  readonly sandbox: Sandbox;
  /** A copy of the checkout. */
  readonly tree: string;
}

async function triedIn(place: Place, guesses: readonly [Askable, ...Askable[]]): Promise<GuessedTests> {
  const [first] = guesses;
  const room = await roomIn(place);
  if (typeof room === 'string') return unseen(first, room, 'make bubblewrap work (apt-get install bubblewrap)');
  const reasons: string[] = [];
  for (const guess of guesses) {
    const tried = await onCopy(room.scratch, room.tree, (copy) => tryOne(room, copy, guess));
    place.terminal.out(`tried  ${triedSentence(guess.runner, tried)}`);
    if (tried.type === 'unseen') reasons.push(tried.reason);
    else return withSuiteTried(room, guess);
  }
  const [reason = NO_TEST] = reasons;
  return unseen(await withSuiteTried(room, first), reason, remedyFor(reason));
}

function unseen({ runner, test }: ShownTests, reason: string, remedy: string): GuessedTests {
  return { runner, test, unseen: `${reason}; ${remedy}, then run init again, or uncomment it` };
}

/** A clause where there is no sandbox. */
async function roomIn(place: Place): Promise<Room | string> {
  const { scratch, directory: root, files } = place;
  const workspace = join(scratch, 'workspace');
  await mkdir(workspace);
  const dependencies = await installedIn({ root });
  try {
    const python = await pythonOf(dependencies);
    const readOnly = [...dependencies.values(), ...python.readOnly];
    const sandbox = await openSandbox({ workspace, scratch, readOnly, programs: python.programs, scripted: false });
    const tree = join(treesDirectory(scratch), 'checkout');
    await layWorkingCopy(tree, { root, files, dependencies });
    return { ...place, sandbox, tree };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return error.message.replace(/^The/, 'the').replace(/; install it on the runner.*/s, '');
  }
}

const OUTPUT_BYTES = 4 * 1024 * 1024;

function tryOne({ sandbox, terminal }: Room, directory: string, { files, ...commands }: Askable): Promise<Tried> {
  const log = (line: string) => void terminal.fail(line);
  return tryRunner({ sandbox, directory, commands, files, outputBytes: OUTPUT_BYTES, log });
}

const SUITE_MS = 300_000;

async function withSuiteTried(room: Room, { runner, test: command }: ShownTests): Promise<ShownTests> {
  const { scratch, tree, sandbox, terminal } = room;
  terminal.fail(`trying ${command}, for at most ${SUITE_MS / 60_000} minutes`);
  const limits = { timeoutMs: SUITE_MS, outputBytes: OUTPUT_BYTES };
  const result = await onCopy(scratch, tree, (directory) => suiteCommand({ sandbox, directory, command, ...limits }));
  terminal.out(`tried  ${command}: ${suiteEnding(result)}`);
  return { runner, test: command };
}

interface Ending {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/** What is told of a suite that ended. */
export function suiteEnding({ exitCode, signal, timedOut, stdout, stderr, durationMs }: Ending): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  if (timedOut) return `not ended after ${seconds} s`;
  if (exitCode === 0) return `green in ${seconds} s`;
  const last = tellingLine(stderr) ?? tellingLine(stdout);
  const how = exitCode === undefined ? `ended by ${signal}` : `exit code ${exitCode}`;
  return `red, ${how}${last === undefined ? '' : `: ${last}`}`;
}

const LONGEST = 160;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with it
const COLOURS = /\u001b\[[\d;]*m/g;

/** What runners write beside what is red. */
const RED = /\b\w*(?:Error|Exception)\b|✖|\bFAIL|\bnot ok\b/;

/** The last line that names what is red, or else that has a word: many end with brackets. */
function tellingLine(output: string): string | undefined {
  const lines = output
    .replaceAll(COLOURS, '')
    .split('\n')
    .map((line) => line.trim());
  const line = lines.findLast((one) => RED.test(one)) ?? lines.findLast((one) => /\p{L}/u.test(one));
  return line?.slice(0, LONGEST).toWellFormed();
}
