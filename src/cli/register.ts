/** `loopwright register`: registers the GitHub App in the browser, by GitHub's manifest flow, and writes its variables into a file. */
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Registered } from '../registration/desk.ts';
import { assertFree } from '../registration/env-file.ts';
import { register as registerApp } from '../registration/register.ts';
import { requestOf } from '../registration/request.ts';
import { readAppFile } from '../settings/app-file.ts';
import { publicUrlEnvironment } from '../settings/env.ts';
import { type Command, optionsOf, type Terminal } from './command.ts';
import { commandLine } from './command-line.ts';
import { INTERRUPTED, interruption } from './interruption.ts';
import { parsePort } from './local-options.ts';

const OPTIONS = {
  'public-url': {
    type: 'string',
    value: 'URL',
    description: 'where GitHub reaches the App, as https://loops.acme.dev (default: PUBLIC_URL)',
  },
  github: {
    type: 'string',
    value: 'URL',
    description: 'the GitHub, as https://ghe.acme.dev (default: https://github.com)',
  },
  organization: {
    type: 'string',
    value: 'NAME',
    description: 'the organization that shall own the App (default: your own account)',
  },
  name: {
    type: 'string',
    value: 'NAME',
    description: 'what the App is called; can be changed on the page that GitHub shows',
  },
  // Not `--env-file`: Node takes that for itself, wherever it stands, and reads the file before we begin.
  file: {
    type: 'string',
    value: 'FILE',
    description: "where the App's variables are written; nothing is overwritten (default: loopwright.env)",
  },
  port: {
    type: 'string',
    value: 'N',
    description:
      'where your browser comes (default: 3000); from another machine by `ssh -L 3000:127.0.0.1:3000 HOST`, with the same number twice',
  },
  host: {
    type: 'string',
    value: 'ADDRESS',
    description:
      'what is listened on (default: 127.0.0.1); on any other address the code that GitHub hands over can be read on the way',
  },
  json: { type: 'boolean', description: 'print one JSON object at the end, and nothing else on standard output' },
} as const;

export const register: Command = {
  summary:
    'register the GitHub App in your browser, with the permissions of app.yml, and write its id, key and secret into a file',
  usage:
    '--public-url URL [--github URL] [--organization NAME] [--name NAME] [--file FILE] [--port N] [--host ADDRESS] [--json]',
  options: OPTIONS,
  async run(argv, terminal) {
    const { values } = optionsOf({ command: 'register', argv, options: OPTIONS });
    const { github = 'https://github.com', organization, name, host = '127.0.0.1', json = false } = values;
    const publicUrl = values['public-url'] ?? publicUrlEnvironment();
    if (publicUrl === undefined)
      throw new UsageError(
        'Where GitHub is to reach the App is not said; name it with --public-url, as in --public-url https://loops.acme.dev, or set PUBLIC_URL.',
      );
    const request = requestOf(await readAppFile(), { github, publicUrl, organization, name });
    const file = values.file ?? 'loopwright.env';
    await assertFree(`--file ${file}`, resolve(file));
    const port = parsePort(values.port ?? '3000');
    const { out, fail } = terminal;
    const tell = json ? fail : out;
    const registered = await registerApp({
      ...{ request, host, port, envFile: resolve(file), complain: fail },
      listens: (address) => {
        for (const line of openLines(address)) tell(line);
      },
      signal: interruption(() => fail('\nStopping…')),
    });
    return json ? ended(registered, jsonLines, terminal) : ended(registered, (one) => nextLines(one, file), terminal);
  },
};

function ended(
  registered: Registered | undefined,
  linesOf: (registered: Registered) => readonly string[],
  { out, fail }: Terminal,
): number {
  if (registered === undefined) {
    fail('Nothing was written.');
    return INTERRUPTED;
  }
  for (const line of linesOf(registered)) out(line);
  return 0;
}

function openLines(address: string): readonly string[] {
  const { port } = new URL(address);
  return [
    `Open   ${address}/`,
    `       in a browser on this machine, or on yours after \`ssh -L ${port}:127.0.0.1:${port} HOST\`.`,
    '       Ctrl-C ends this, and nothing is written.',
  ];
}

function jsonLines({ id, slug, envFile, installUrl }: Registered): readonly string[] {
  return [JSON.stringify({ id, slug, envFile, installUrl })];
}

/** The file as it was named, unless it had to be another one. */
function nextLines({ id, slug, envFile, installUrl }: Registered, asked: string): readonly string[] {
  const file = envFile === resolve(asked) ? asked : envFile;
  const withFile = (command: string): string => `(set -a; . ${shellWord(file)}; ${command})`;
  return [
    `\nThe App \`${slug}\` is registered, with the id ${id}. All that it needs of GitHub stands in ${envFile}, which you alone may read.`,
    ...(file === asked ? [] : [`${asked} came meanwhile, and was left as it is.`]),
    '\nNext:',
    `  1. Install it on the repositories that it shall work in:  ${installUrl}`,
    `  2. Write LLM_BASE_URL, LLM_MODEL and LLM_API_KEY into ${file}.`,
    `  3. See what is missing:  ${withFile(commandLine('doctor', '--repo', 'owner/name'))}`,
    `  4. Start it:  ${withFile(commandLine('start'))}`,
    `     or, where no shell reads the file:  node --env-file=${shellWord(file)} …`,
  ];
}

/** A shell looks for a name without a slash elsewhere. */
function shellWord(file: string): string {
  const path = file.includes('/') ? file : `./${file}`;
  return /^[\w./:=@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
