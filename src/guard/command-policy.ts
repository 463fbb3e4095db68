/**
 * The last net under the sandbox: classes of commands that are never a builder's work.
 * The sandbox is the boundary; this only answers with a sentence instead of a puzzling failure.
 */
import { type CommandLine, commandLinesOf } from './shell-words.ts';

interface DenyClass {
  readonly breaks: (line: CommandLine) => boolean;
  readonly because: string;
}

const PRIVILEGE: ReadonlySet<string> = new Set(['sudo', 'su', 'doas', 'pkexec', 'chroot', 'unshare', 'nsenter']);
const POWER: ReadonlySet<string> = new Set(['shutdown', 'reboot', 'halt', 'poweroff', 'telinit']);
const DISK: ReadonlySet<string> = new Set(['wipefs', 'fdisk', 'sfdisk', 'parted', 'mkswap', 'mount', 'umount']);
const FETCH: ReadonlySet<string> = new Set(['curl', 'wget', 'fetch']);
const SHELL: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'python', 'python3', 'node', 'perl']);
const SQL: ReadonlySet<string> = new Set(['psql', 'mysql', 'mariadb', 'sqlite3', 'sqlcmd']);
const DEVICE = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|dm-|loop)/;
const EVERYTHING =
  /^(\/+|~\/?|\$HOME\/?|\$\{HOME\}\/?|\.\.?\/?|\*)$|^(\/+|~\/|\$HOME\/|\.\/|\.\.\/)\*$|(^|\/)\.git(\/|$)/;
const DROP = /\b(drop|truncate)\s+(table|database|schema)\b/i;

const DENIED: readonly DenyClass[] = [
  { breaks: ({ program }) => PRIVILEGE.has(program), because: 'it asks for other privileges' },
  { breaks: ({ program }) => POWER.has(program), because: 'it stops the machine' },
  { breaks: (line) => DISK.has(line.program) || line.program.startsWith('mkfs'), because: 'it changes disks' },
  {
    breaks: (line) => [...line.arguments.map((word) => word.replace(/^of=/, '')), ...line.redirects].some(isDevice),
    because: 'it writes to a device',
  },
  {
    breaks: (line) => line.program === 'rm' && hasFlag(line, 'r', 'recursive') && line.arguments.some(isEverything),
    because: 'it deletes everything',
  },
  {
    breaks: (line) => line.program === 'find' && line.arguments.some(isEverything) && deletesFound(line),
    because: 'it deletes everything that it finds',
  },
  {
    breaks: (line) => /^ch(mod|own|grp)$/.test(line.program) && hasFlag(line, 'r', 'recursive') && touchesRoot(line),
    because: 'it changes the permissions of the whole machine',
  },
  { breaks: (line) => line.program === 'git' && gitVerb(line) === 'push', because: 'only the App moves branches' },
  {
    breaks: (line) => readsProgram(line) && line.pipedFrom.some((program) => FETCH.has(program)),
    because: 'it runs code straight from the network',
  },
  {
    breaks: (line) => SQL.has(line.program) && [...line.arguments, ...line.pipedText].some((text) => DROP.test(text)),
    because: 'it drops tables of a database',
  },
];
const FORK_BOMB = /([\w:.]+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1\s*&/;

/** Why this shell command is not run, as a clause; undefined when the sandbox may have it. */
export function commandRefusal(command: string): string | undefined {
  if (FORK_BOMB.test(command)) return 'it is a fork bomb';
  const lines = commandLinesOf(command);
  return DENIED.find(({ breaks }) => lines.some(breaks))?.because;
}

/** An interpreter without a program of its own takes it from standard input. */
function readsProgram(line: CommandLine): boolean {
  return SHELL.has(line.program) && line.arguments.every((word) => /^-[a-bdf-z]*$/.test(word));
}

function isDevice(word: string): boolean {
  return DEVICE.test(word);
}

function isEverything(word: string): boolean {
  return EVERYTHING.test(word);
}

function hasFlag(line: CommandLine, letter: string, long: string): boolean {
  const short = new RegExp(`^-[a-z]*${letter}`, 'i');
  return line.arguments.some((word) => short.test(word) || word === `--${long}`);
}

function deletesFound(line: CommandLine): boolean {
  const exec = line.arguments.findIndex((word) => /^-(exec|execdir|ok)$/.test(word));
  const first = line.arguments.find((word) => !word.startsWith('-'));
  const deletes = line.arguments.includes('-delete') || line.arguments[exec + 1] === 'rm';
  // `find . -name '*.pyc' -delete` is housekeeping; only an unfiltered or machine-wide one deletes everything.
  const filtered = line.arguments.some((word) => /^-(name|iname|path|regex)$/.test(word));
  return deletes && (!filtered || first?.startsWith('/') === true);
}

function touchesRoot(line: CommandLine): boolean {
  return line.arguments.some((word) => /^(\/+\*?|~\/?|\$HOME\/?|\/(etc|usr|bin|lib|home|var|root)(\/.*)?)$/.test(word));
}

/** The subcommand of git: its own options, and the value of those that take one, come before it. */
function gitVerb(line: CommandLine): string | undefined {
  const words = [...line.arguments];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-')) return word;
    if (/^(-c|-C|--git-dir|--work-tree|--namespace|--exec-path)$/.test(word)) words.shift();
  }
  return undefined;
}
