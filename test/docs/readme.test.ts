import { existsSync } from 'node:fs';
import { glob, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { goalOrRefusal } from '../../src/context/start.ts';
import { goal } from '../../src/loop/goal.ts';
import { helpText } from '../../src/render/help.ts';
import { repositoryConfig } from '../../src/settings/config.ts';
import { childEnvironment } from '../../src/settings/env.ts';
import { aptLine, REQUIREMENTS } from '../machine/requirements.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const readme = await readFile(join(ROOT, 'README.md'), 'utf8');

interface Proof {
  /** What runs the command. */
  readonly file: string;
  /** The words in it that do. */
  readonly words: string;
}

const IN_CI = (words: string): Proof => ({ file: '.ci/run', words });
const BY_DEMO: Proof = {
  file: 'test/machine/second-repository.test.ts',
  words: "['run', '-s', 'demo', '--ignore-scripts', '--', '--json'",
};
const BY_START: Proof = { file: 'test/machine/terminal.ts', words: "['start', '--ignore-scripts', '--'" };
const BY_PACKAGE = (words: string): Proof => ({ file: 'test/machine/package.test.ts', words });

/** Every command that the README shows, and what runs it; a new command needs a row. */
const PROVEN: Readonly<Record<string, Proof>> = {
  'npm ci': IN_CI('npm ci'),
  'npm run demo': IN_CI('check npm run demo'),
  'npm run check': IN_CI('check npm run check'),
  'npm test': IN_CI('check npm test'),
  'npm run test:e2e': IN_CI('check npm run test:e2e'),
  'npm run test:machine': IN_CI('check npm run test:machine'),
  'npm run simulate': IN_CI('check npm run simulate'),
  'npm run measured': IN_CI('check npm run measured'),
  'npm run honest': IN_CI('check npm run honest'),
  'npm run alarms': IN_CI('check npm run alarms'),
  'npm run simulate:bugs': IN_CI('check npm run simulate:bugs'),
  'npm run bench': IN_CI('check npm run bench'),
  'npm run bench:gateway': IN_CI('check npm run bench:gateway'),
  'npm run bench:job': IN_CI('check npm run bench:job'),
  'npm run bench:library': IN_CI('check npm run bench:library'),
  'npm run soak': IN_CI('check npm run soak'),
  'npm run test:mutants': IN_CI('check npm run test:mutants'),
  [aptLine(Object.keys(REQUIREMENTS))]: IN_CI('apt-get install -y -q --no-install-recommends $packages'),
  'npm run -s demo -- --json': BY_DEMO,
  'npm run demo -- --keep DIR': BY_PACKAGE("'--keep', join(root, 'kept')"),
  'npm run demo -- --sabotage product': IN_CI('check npm run demo -- --sabotage product'),
  'npm run demo -- --sabotage test': IN_CI('check npm run demo -- --sabotage test'),
  'npm run demo -- --minutes N': {
    file: 'test/e2e/interrupted-demo.test.ts',
    words: "'demo', '--keep', directory, '--minutes', '5'",
  },
  'npm run demo -- --repo PATH --issue FILE': {
    file: 'test/e2e/typed/your-repository.test.ts',
    words: "'demo', '--repo', shop, '--issue', ISSUE",
  },
  'npm run demo -- --repo PATH --issue FILE --script FILE': {
    file: 'test/machine/second-repository.test.ts',
    words: "'--script', scriptPath",
  },
  'npm start': BY_START,
  'npm start -- --data DIR': BY_PACKAGE("'start', '--data', join(root, 'kept')"),
  'npm start -- --port 8480 --data .data --import ../shop=acme/shop --user maria:admin:maria-token': {
    file: 'test/e2e/typed/start.test.ts',
    words: "=acme/shop`, '--user', 'wout:write:wout-token')",
  },
  'npm run -s loopwright -- --help': { file: 'test/cli/usage.test.ts', words: "typed(['--help'])" },
  'npm run -s loopwright -- schemas': BY_PACKAGE("npx('schemas', '--json')"),
  'npm run -s loopwright -- init ../shop': BY_PACKAGE("npx('init', checkout)"),
  'npm run -s loopwright -- register --public-url https://loops.acme.dev --organization acme': {
    file: 'test/registration/command.test.ts',
    words: "'--public-url', 'https://loops.acme.dev', '--organization', 'acme'",
  },
  '(set -a; . ./loopwright.env; npm start)': {
    file: 'test/registration/register.test.ts',
    words: 'set -a; . ./loopwright.env; exec',
  },
  'node --env-file=loopwright.env': {
    file: 'test/registration/register.test.ts',
    words: '[`--env-file=',
  },
  'npm run -s loopwright -- doctor --repo acme/shop': {
    file: 'test/doctor/command.test.ts',
    words: "typed(['doctor', '--repo', 'alice/toys']",
  },
  'git apply': {
    file: 'test/machine/prove.test.ts',
    words: "execa('git', ['apply'], { cwd: directory, input: patch })",
  },
  'npm run -s loopwright -- prove main..HEAD --repo ../shop': {
    file: 'test/machine/prove.test.ts',
    words: "typed(['prove', 'main..fix', '--repo', directory])",
  },
  'npm run -s loopwright -- loops': { file: 'test/e2e/typed/shown-loops.test.ts', words: "looked('loops')" },
  'npm run -s loopwright -- loops show acme/shop#12 --words': {
    file: 'test/e2e/typed/shown-loops.test.ts',
    words: "looked('loops', 'show', 'acme/shop#12', '--words')",
  },
  'npm run -s loopwright -- verify ../verify --repo ../shop': {
    file: 'test/machine/verify.test.ts',
    words: "typed(['verify', folder, '--repo'",
  },
  'buildah build --format docker --tag loopwright .': {
    file: 'test/machine/image-build.ts',
    words: "buildah('build', '--format', 'docker'",
  },
  'npm run build': BY_PACKAGE("'npm',\n    ['pack'"),
  'npx loopwright': BY_PACKAGE("run('npx', ['loopwright'"),
};

const schemaNode = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
});

/** The table's rows as the schema says them: one per key that holds a value. */
function rowsOf({ properties = {} }: z.infer<typeof schemaNode>, above: string): readonly string[] {
  return Object.entries(properties).flatMap(([key, value]) => {
    const node = schemaNode.parse(value);
    const name = `${above}${key}`;
    if (node.properties !== undefined) return rowsOf(node, `${name}.`);
    return [`| \`${name}\` | ${defaultText(node.default)} | ${node.description ?? 'UNDESCRIBED'} |`];
  });
}

function defaultText(value: unknown): string {
  if (value === undefined) return '**needed**';
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  return `\`${String(value)}\``;
}

/** Lines of code blocks and code in the text that begin like a command. */
function commands(): readonly string[] {
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => block.trim().split('\n'));
  const inline = [...readme.matchAll(/`((?:npm|npx|sudo|node|git|docker) [^`\n]+)`/g)].map(
    ([, command = '']) => command,
  );
  return [...new Set([...blocks, ...inline])];
}

describe('the README', () => {
  test('shows no command that nothing runs, and every row of the table is shown', () => {
    expect([...commands()].sort()).toEqual(Object.keys(PROVEN).sort());
  });

  test.each(Object.entries(PROVEN))('%s is run', async (_command, { file, words }) => {
    expect(await readFile(join(ROOT, file), 'utf8')).toContain(words);
  });

  test('describes every key of the configuration, with its default, as the schema does', () => {
    const [, table = ''] = /\| key \| default \| means \|\n\|---\|---\|---\|\n((?:\|.*\n)+)/.exec(readme) ?? [];
    expect(table.trim().split('\n')).toEqual(rowsOf(schemaNode.parse(z.toJSONSchema(repositoryConfig)), ''));
  });

  test('shows a goal block that is read as it stands', () => {
    const [, block = ''] = /^```yaml\n(kind:.*?)^```/ms.exec(readme) ?? [];
    const read = goalOrRefusal(`\`\`\`yaml\n${block}\`\`\`\n`);
    expect(read).toMatchObject({ kind: 'performance', limits: { minutes: 90 }, surface: 'http' });
    expect(Object.keys(typeof read === 'object' ? read : {}).sort()).toEqual(Object.keys(goal.shape).sort());
  });

  test('lists every command as `/help` does', () => {
    const [, table = ''] = /\n\n(\| command .*)$/s.exec(helpText()) ?? [];
    expect(readme).toContain(table.trim());
  });

  test('names only scripts that package.json has', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const used = commands().flatMap((command) => /^npm (?:run (?:-s )?)?([\w:]+)/.exec(command)?.[1] ?? []);
    expect(used.filter((name) => name !== 'ci' && !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test('links only to files that are there', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)/g)].flatMap(([, target = '']) =>
      /^https?:/.test(target) ? [] : target,
    );
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
  });
});

describe('the pictures in the README', () => {
  const pictures = [...readme.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words = '', path = '']) => ({
    words,
    path,
  }));

  test('are a packet and a finished pull request, each with words for those who cannot see it', () => {
    expect(pictures.map(({ path }) => path)).toEqual(['docs/pictures/packet.png', 'docs/pictures/pull-request.png']);
    expect(pictures.filter(({ words }) => words.length < 40)).toEqual([]);
  });

  // `npm run pictures` takes them again.
  test.each(pictures)('$path is a PNG, small enough for a page, and not blank', async ({ path }) => {
    const bytes = await readFile(join(ROOT, path));
    const { width, height, rows } = pngOf(bytes);
    expect(bytes.byteLength).toBeLessThan(200_000);
    expect(width).toBeGreaterThan(500);
    expect(width).toBeLessThanOrEqual(1200);
    expect(new Set(rows).size).toBeGreaterThan(height / 4);
  });
});

/** Size and rows of pixels, each row as it is written: filtered. Source: https://www.w3.org/TR/png-3/ */
function pngOf(bytes: Buffer) {
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks: Buffer[] = [];
  for (let at = 8, length = 0; at < bytes.length; at += 12 + length) {
    length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') chunks.push(bytes.subarray(at + 8, at + 8 + length));
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const pixels = inflateSync(Buffer.concat(chunks));
  const rowBytes = pixels.length / height;
  const rows = Array.from({ length: height }, (_, row) =>
    pixels.toString('latin1', row * rowBytes, (row + 1) * rowBytes),
  );
  return { width, height, rows };
}

test('what npm run test:machine skips for whoever is not root is what the README says', async () => {
  const files = await Array.fromAsync(glob('test/machine/*.test.ts', { cwd: ROOT }));
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')));
  const skipping = files.filter((_, index) => texts[index]?.includes('describe.skipIf(process.getuid'));
  expect(texts.filter((text) => /\.(?:skipIf|runIf)\(/.test(text))).toHaveLength(skipping.length);
  const [, said = ''] = /^Whoever is not root has no networks of their own: (.+) are then skipped/m.exec(readme) ?? [];
  expect([...said.matchAll(/`([\w-]+)`/g)].map(([, name]) => `test/machine/${name}.test.ts`)).toEqual(
    skipping.toSorted(),
  );
});

describe('npm run test:machine where something is missing', () => {
  test('names all that is missing with the line that installs it, and fails', async () => {
    const bin = await mkdtemp(join(tmpdir(), 'loopwright-bin-'));
    await symlink('/bin/true', join(bin, 'python3'));
    try {
      const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
      const { exitCode, all } = await execa(process.execPath, [vitest, 'run', '--project', 'machine'], {
        cwd: ROOT,
        all: true,
        extendEnv: false,
        env: { ...childEnvironment(), PATH: bin, NO_COLOR: '1', LOOPWRIGHT_TEST_POSTGRES: 'postgres://elsewhere' },
        reject: false,
      });
      expect(all).toContain(
        'test:machine needs what is not on this machine: bubblewrap, socat, ripgrep, chromium, cmark-gfm, buildah, iproute2, openssl; run `sudo apt-get install -y bubblewrap socat ripgrep chromium cmark-gfm buildah iproute2 openssl` and start it again.',
      );
      expect(exitCode).toBe(1);
      expect(all).not.toContain('passed');
    } finally {
      await rm(bin, { recursive: true });
    }
  });
});
