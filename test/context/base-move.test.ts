import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { baseMove } from '../../src/context/base-move.ts';
import { dispatch } from '../../src/effects/dispatch.ts';
import { promote } from '../../src/effects/promote.ts';
import { publish } from '../../src/effects/publish.ts';
import { WriteRefusedError } from '../../src/errors.ts';
import { digestOf } from '../../src/guard/digest.ts';
import type { BuiltLoop } from '../../src/loop/stages.ts';
import type { Ports } from '../../src/ports.ts';
import { setupText } from '../../src/settings/setup-files.ts';
import { openStage, type Stage } from '../drafting/stage.ts';

const CONFIG = "version: 1\ncommands: { test: 'true', runner: node-test }\n";
const TIP = 'c'.repeat(40);
const HEAD = 'd'.repeat(40);
const PUBLISH = { type: 'publish', key: '1/publish', entry: 1 } as const;
const DISPATCH = { type: 'dispatch', key: '1/dispatch', job: 'build', entry: 1 } as const;
const PROMOTE = { type: 'promote', key: '1/promote', entry: 1 } as const;
let stage: Stage;
let loop: BuiltLoop;
/** What was read of GitHub, in order. */
let reads: string[];
beforeEach(async () => {
  stage = await openStage({ 'src/a.js': '', '.github/loopwright.yml': CONFIG });
  reads = [];
  const task = {
    id: 'T-1',
    title: 't',
    requirements: ['R-1'],
    files: ['src/a.js'],
    dependsOn: [],
    detail: 'Change it.',
  };
  const packet = { entry: 0, digest: digestOf('packet'), commentId: 90, publishedAt: '2026-01-02T03:04:00.000Z' };
  loop = {
    ...stage.loop,
    started: { ...stage.loop.started, config: { digest: digestOf(CONFIG) } },
    tasks: [task],
    review: { pull: 13, nodeId: 'PR_13', head: HEAD, packet },
    built: { reports: {}, candidate: { sha: HEAD, codeTree: HEAD, entry: 1 } },
  };
});
afterEach(() => stage.close());

/** GitHub with a base branch there, on which these paths changed. */
function portsOf(tip: string, paths: readonly string[]): Ports {
  const github: Ports['github'] = {
    ...stage.ports.github,
    async head(_, ref) {
      reads.push(ref);
      return ref === 'refs/heads/main' ? tip : HEAD;
    },
    async changedPaths(_, base, head) {
      reads.push(`${base}...${head}`);
      return paths;
    },
    async file(_, path) {
      reads.push(path);
      return CONFIG;
    },
    commit: async () => ({ sha: TIP, tree: TIP, before: undefined }),
  };
  const modelFacts = { ...stage.ports.modelFacts, jobUrl: 'http://127.0.0.1:1/v1' };
  return { ...stage.ports, modelFacts, github };
}

describe('a merge of the base that GitHub refuses', () => {
  const publishOn = (merge: Ports['workspace']['merge']) => {
    const ports = portsOf(loop.started.base.sha, []);
    const moveRef = () => Promise.reject(new WriteRefusedError('GitHub refused to move it: no `workflows` permission'));
    const workspace = { ...ports.workspace, mergeBase: async () => TIP, merge };
    return publish(
      PUBLISH,
      { ...loop, phase: 'ARCH_REVIEW' },
      { ...ports, workspace, github: { ...ports.github, moveRef } },
    );
  };

  it('stops with its text and with what a person does instead', async () => {
    expect(await publishOn(async () => ({ parent: loop.started.base.sha, held: [], made: [] }))).toMatchObject({
      type: 'failed',
      cause: 'conflict',
      reason:
        'GitHub refused to move it: no `workflows` permission; merge main into loopwright/12 and say `/rerun PLAN`.',
    });
  });

  it('stops alike where the two conflict, and names at most three files', async () => {
    expect(await publishOn(async () => ({ conflicts: ['a', 'b', 'c', 'd'] }))).toMatchObject({
      cause: 'conflict',
      reason:
        'The base main conflicts with loopwright/12 in a, b, c and 1 more; merge main into loopwright/12 and say `/rerun PLAN`.',
    });
  });
});

describe('what depends on the base', () => {
  const effects = [
    ['the packet', (ports: Ports) => publish(PUBLISH, { ...loop, phase: 'ARCH_REVIEW' }, ports)],
    ['BUILD', (ports: Ports) => dispatch(DISPATCH, { ...loop, phase: 'BUILD' }, ports, 1)],
    ['the promotion', (ports: Ports) => promote(PROMOTE, { ...loop, phase: 'SHIP' }, ports)],
  ] as const;

  it.each(effects)('is not begun for %s when what the loop is bound to changed there unheard', async (_, begin) => {
    expect(await begin(portsOf(TIP, ['README.md', 'src/a.js']))).toEqual({
      type: 'moved',
      at: '2026-01-02T03:04:05.000Z',
      sha: TIP,
      paths: ['README.md', 'src/a.js'],
      unlisted: false,
      sensitive: [],
      bearing: ['src/a.js'],
      configDigest: digestOf(CONFIG),
    });
  });

  it.each(effects)('is begun for %s when the base moved elsewhere only', async (_, begin) => {
    // It goes on to what the stage does not have; a move would have been its outcome.
    await expect(begin(portsOf(TIP, ['README.md']))).rejects.toThrow();
    expect(reads).toContain(`${loop.started.base.sha}...${TIP}`);
  });

  it.each(effects)('costs %s one reading of the base when nothing moved', async (_, begin) => {
    const here = loop.started.base.sha;
    await expect(begin(portsOf(here, []))).rejects.toThrow();
    expect(reads.filter((read) => read === 'refs/heads/main' || read.includes('...'))).toEqual(['refs/heads/main']);
  });
});

describe("the loop's own two workflow files on the base, which run as it has them, whatever a loop stands on", () => {
  const sensitiveIn = async (path: string, change: (ours: string) => string | undefined) => {
    const name = path.split('/').at(-1) ?? '';
    const ports = portsOf(TIP, [path]);
    const github: Ports['github'] = {
      ...ports.github,
      repository: async () => ({
        defaultBranch: 'main',
        url: 'https://github.example/acme/shop',
        server: 'github.com' as const,
      }),
      async file(_, asked, sha) {
        if (asked !== path) return CONFIG;
        expect(sha).toBe(TIP);
        return change(await setupText(['workflows', name], 'github.com'));
      },
    };
    const move = { before: loop.started.base.sha, after: TIP, at: '2026-01-02T03:04:05.000Z' };
    return (await baseMove(loop.ref, move, { ...ports, github })).sensitive;
  };

  describe.each(['.github/workflows/loopwright-build.yml', '.github/workflows/loopwright-verify.yml'])('%s', (path) => {
    it.each<[string, (ours: string) => string | undefined]>([
      ['added as this version writes it', (ours) => ours],
      ['on other machines', (ours) => ours.replaceAll('runs-on: ubuntu-latest', 'runs-on: [self-hosted]')],
      ['taken away', () => undefined],
    ])('%s needs nobody', async (_, change) => {
      expect(await sensitiveIn(path, change)).toEqual([]);
    });

    it('with a right to write needs a person', async () => {
      expect(await sensitiveIn(path, (ours) => ours.replaceAll('contents: read', 'contents: write'))).toEqual([path]);
    });
  });

  it('are the only ones: another workflow needs a person', async () => {
    const move = { before: loop.started.base.sha, after: TIP, at: '2026-01-02T03:04:05.000Z' };
    const path = '.github/workflows/deploy.yml';
    expect((await baseMove(loop.ref, move, portsOf(TIP, [path]))).sensitive).toEqual([path]);
  });
});
