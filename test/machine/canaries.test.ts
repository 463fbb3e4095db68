/** Secrets lie about on a runner: whatever holds one is found by the job itself, and by nothing in its sandbox. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createNamespaces, type Namespaces } from './namespaces.ts';

const told = z.object({
  kind: z.string(),
  found: z.array(z.object({ name: z.string(), isGiven: z.boolean(), outside: z.boolean(), inside: z.boolean() })),
});

/** Of GitHub, the App, the model, and of clouds. */
const ADDRESSES = ['10.77.0.1', '10.77.0.2', '10.77.0.3', '169.254.169.254', '169.254.170.2'];

let directory: string;
let spaces: Namespaces;
let report: z.infer<typeof told>;

// Networks are root's to make.
describe.skipIf(process.getuid?.() !== 0)('what lies about on a runner', () => {
  beforeAll(async () => {
    // The sandbox has a /tmp of its own, which would hide all that lies there.
    directory = await mkdtemp('/var/tmp/canaries-');
    spaces = await createNamespaces(['runner'], []);
    const within = async (...argv: readonly string[]) => {
      const [program, ...words] = spaces.within('runner', argv);
      return execa(program, words);
    };
    for (const address of ADDRESSES) await within('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
    const job = join(import.meta.dirname, 'canary-job.ts');
    const { stdout } = await within(process.execPath, '--disable-warning=ExperimentalWarning', job, directory);
    report = told.parse(JSON.parse(stdout));
  });
  afterAll(async () => {
    await spaces?.close();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  test('is looked for in at least 25 places, in a real sandbox', () => {
    expect(report.kind).toBe('bubblewrap');
    expect(report.found.filter(({ isGiven }) => !isGiven).length).toBeGreaterThanOrEqual(25);
    expect(new Set(report.found.map(({ name }) => name)).size).toBe(report.found.length);
  });

  test('is found by the job itself, so that each probe is one', () => {
    expect(report.found.filter(({ outside }) => !outside).map(({ name }) => name)).toEqual([]);
  });

  test('is not found in the sandbox, where the same probes find what the command is given', () => {
    expect(report.found.filter(({ inside }) => inside).map(({ name }) => name)).toEqual(
      report.found.filter(({ isGiven }) => isGiven).map(({ name }) => name),
    );
    expect(report.found.filter(({ isGiven }) => isGiven)).toHaveLength(2);
  });
});
