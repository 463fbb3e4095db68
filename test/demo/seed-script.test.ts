import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { demoScript } from '../../src/demo/demo-material.ts';
import { readScript } from '../../src/demo/script.ts';

const seedData = z.object({ files: z.array(z.object({ path: z.string(), content: z.string() })) });
const rows = z.array(z.object({ id: z.int(), name: z.string(), message: z.string() }));

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loopwright-seed-'));
  await mkdir(join(directory, 'data'));
  await mkdir(join(directory, 'scripts'));
  const [seed] = z.array(seedData).parse((await readScript(demoScript())).answers['seed-data']);
  await writeFile(join(directory, 'package.json'), '{"type": "module"}');
  for (const { path, content } of seed?.files ?? []) await writeFile(join(directory, path), content);
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function seeded(entries: z.infer<typeof rows>) {
  const file = join(directory, 'data', 'entries.json');
  await writeFile(file, JSON.stringify(entries));
  const { stdout } = await execa(process.execPath, ['scripts/seed.js'], { cwd: directory });
  return { said: JSON.parse(stdout), entries: rows.parse(JSON.parse(await readFile(file, 'utf8'))) };
}

test('the demo seeds its examples beside what people wrote, under ids that nobody has', async () => {
  const mine = { id: 103, name: 'Mia', message: 'Mine.' };
  const { said, entries } = await seeded([mine]);
  expect(entries[0]).toEqual(mine);
  expect(entries.map(({ id }) => id)).toEqual([103, 104, 105, 106, 107, 108]);
  expect(said).toEqual({ counts: { examples: 5, entries: 6 } });
});

test('seeding again changes nothing', async () => {
  const { entries } = await seeded([{ id: 1, name: 'Ada', message: 'Hello' }]);
  expect(entries.map(({ id }) => id)).toEqual([1, 101, 102, 103, 104, 105]);
  expect((await seeded(entries)).entries).toEqual(entries);
});
