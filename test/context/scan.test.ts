import { afterEach, describe, expect, it } from 'vitest';
import { relevantFiles } from '../../src/context/relevant-files.ts';
import { type Scan, scanRepository } from '../../src/context/scan.ts';
import { promotionOf } from '../../src/context/workflows.ts';
import { openStage, type Stage } from '../drafting/stage.ts';

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

async function scanned(files: Readonly<Record<string, string>>): Promise<Scan> {
  stage = await openStage(files);
  return scanRepository(stage.ports.workspace, stage.loop.ref, stage.loop.started.base.sha);
}

const workflow = (body: string): Record<string, string> => ({ '.github/workflows/ci.yml': body });

describe('scanRepository', () => {
  it('finds languages, commands, runner, tests and routes of a Node service', async () => {
    const scan = await scanned({
      'package.json': JSON.stringify({
        scripts: { test: 'node --test', start: 'node src/server.js' },
        dependencies: { express: '5' },
      }),
      'src/server.js': "const app = express();\napp.get('/items', list);\napp.post('/items', add);\n",
      'test/items.test.js': "app.get('/only-in-a-test', x);\n",
      '.loopwright/3/spec.md': '# An earlier loop\n',
    });
    expect(scan.languages).toEqual([{ name: 'JavaScript', files: 2 }]);
    expect(scan.runner).toBe('node-test');
    expect(scan.commands).toContainEqual({ name: 'start', command: 'node src/server.js', source: 'package.json' });
    expect(scan.manifests).toEqual([{ path: 'package.json', kind: 'npm', dependencies: ['express'] }]);
    expect(scan.routes).toEqual([
      { method: 'GET', path: '/items', file: 'src/server.js', line: 2 },
      { method: 'POST', path: '/items', file: 'src/server.js', line: 3 },
    ]);
    expect(scan.tests).toEqual(['test/items.test.js']);
    expect(scan.files).not.toContain('.loopwright/3/spec.md');
  });

  it('finds runner and routes of a Python service', async () => {
    const scan = await scanned({
      'app.py': "@app.route('/a', methods=['GET', 'POST'])\ndef a(): pass\n@api.get('/b')\ndef b(): pass\n",
      'tests/test_app.py': 'import unittest\n',
      'requirements.txt': 'flask==3.0\n# comment\nfastapi>=0.1\n',
    });
    expect(scan.runner).toBe('unittest');
    expect(scan.routes.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /a', 'POST /a', 'GET /b']);
    expect(scan.manifests[0]?.dependencies).toEqual(['flask', 'fastapi']);
  });

  it.each([
    ["if (request.method === 'GET' && url.pathname === '/items') {}", ['GET /items']],
    ["const routes = { 'DELETE /items/:id': remove };", ['DELETE /items/:id']],
    ["if (pathname === '/health') {}", ['any /health']],
  ])('reads routes of a plain node:http server: %s', async (text, routes) => {
    const scan = await scanned({ 'server.mjs': text });
    expect(scan.routes.map(({ method, path }) => `${method} ${path}`)).toEqual(routes);
  });

  it('says that a manifest is broken instead of leaving it out', async () => {
    const scan = await scanned({ 'package.json': '{ nope' });
    expect(scan.notes).toEqual(['package.json is not a valid package.json.']);
  });

  it('gives the same scan for the same commit', async () => {
    const first = await scanned({ 'b.py': '', 'a.js': '' });
    expect(await scanRepository(stage?.ports.workspace ?? never(), stage?.loop.ref ?? never(), first.sha)).toEqual(
      first,
    );
  });
});

describe('relevantFiles', () => {
  it('gives whole text files, those that are asked for first, and no noise', async () => {
    const scan = await scanned({
      'src/other.js': 'export const nothing = 1;\n',
      'src/items.js': 'export function filterItems() {}\n',
      'package-lock.json': '{"items": true}',
      'logo.png': 'items',
      '.github/workflows/items.yml': 'on: push\n',
    });
    const parts = await relevantFiles(stage?.ports.workspace ?? never(), stage?.loop.ref ?? never(), {
      scan,
      asked: 'Filter the items',
    });
    expect(parts.map(({ name }) => name)).toEqual(['src/items.js', 'src/other.js']);
    expect(parts[0]?.text).toBe('export function filterItems() {}\n');
  });
});

describe('promotion', () => {
  it.each([
    [
      'a push workflow that uses a secret',
      'on: push\njobs:\n  a:\n    steps:\n      - run: x\n        env: { K: secrets.KEY }\n',
    ],
    [
      'a pull request workflow with an environment',
      'on: [pull_request]\njobs:\n  a: { environment: prod, steps: [] }\n',
    ],
    ['a workflow with an id-token', 'on: { push: {} }\npermissions: { id-token: write }\njobs:\n  a: { steps: [] }\n'],
    ['a job with every permission', 'on: push\njobs:\n  a: { permissions: write-all, steps: [] }\n'],
    ["another repository's workflow", 'on: push\njobs:\n  a: { uses: acme/shared/.github/workflows/ci.yml@main }\n'],
    ['a workflow that may be called', 'on: workflow_call\njobs:\n  a: { environment: prod, steps: [] }\n'],
    ['a workflow that does not parse', 'on: push\n  jobs: [\n'],
  ])('needs a person because of %s', async (_, text) => {
    const { workflows } = await scanned(workflow(text));
    expect(promotionOf(null, workflows)).toMatchObject({
      by: 'person',
      why: expect.stringContaining('.github/workflows/ci.yml'),
    });
  });

  it.each([
    ['plain tests on push', 'on: push\njobs:\n  a: { steps: [{ run: npm test }] }\n'],
    [
      'secrets on a schedule only',
      'on: { schedule: [{ cron: "0 0 * * *" }] }\njobs:\n  a: { steps: [{ run: "echo secrets.KEY" }] }\n',
    ],
  ])('is automatic with %s', async (_, text) => {
    const { workflows } = await scanned(workflow(text));
    expect(promotionOf(null, workflows).by).toBe('auto');
  });

  it("needs a person where the checks run on that person's machine, and nobody configured otherwise", () => {
    expect(promotionOf(null, [], 'person')).toEqual({
      by: 'person',
      why: "The repository's own checks run on a person's machine here, so a person says `/release`.",
    });
    expect(promotionOf('auto', [], 'person').by).toBe('auto');
  });

  it('obeys the configuration in both directions', () => {
    const risky = [{ path: 'x.yml', triggeredByCode: true, holds: ['secrets'] }];
    expect(promotionOf('auto', risky).by).toBe('auto');
    expect(promotionOf('person', []).by).toBe('person');
  });
});

function never(): never {
  throw new Error('the stage is open');
}
