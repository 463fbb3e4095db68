/** Which version a repository is at, by its manifests and its tags, and which may come next. Semantic versioning: https://semver.org */
import { z } from 'zod';
import type { StartedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';

export interface Versions {
  /** The highest that is stated, without a prefix; undefined where none is. */
  readonly current: string | undefined;
  /** Where each was found, one sentence each. */
  readonly found: readonly string[];
  /** Tags as they may be proposed: the next patch, minor and major version, in the way in which this repository writes tags. */
  readonly next: readonly string[];
}

/** What a repository without any version begins with. */
const FIRST = '0.1.0';

type Parts = readonly [number, number, number];

/** Reads the manifests at the root of the loop's base, and GitHub's tags. */
export async function versionsOf(
  { ref, started }: StartedLoop,
  { github, workspace }: Pick<Ports, 'github' | 'workspace'>,
): Promise<Versions> {
  const stated = await Promise.all(
    Object.entries(STATED).map(async ([path, versionIn]) => {
      const version = versionIn((await workspace.read(ref, started.base.sha, path)) ?? '');
      return partsOf(version) === undefined ? [] : [{ version, source: path }];
    }),
  );
  const tags = (await github.tags(ref)).filter((tag) => partsOf(tag) !== undefined).toSorted(byVersion);
  const newest = tags.at(-1);
  const all = [...stated.flat(), ...(newest === undefined ? [] : [{ version: newest, source: 'the newest tag' }])];
  const highest = all
    .map(({ version }) => version)
    .toSorted(byVersion)
    .at(-1);
  return {
    current: highest?.replace(/^v/, ''),
    found: all.map(({ version, source }) => `${source}: ${version}`),
    next: nextOf(highest).map((version) => (newest?.startsWith('v') ? `v${version}` : version)),
  };
}

const packageJson = z.looseObject({ version: z.string() });

/** How each manifest states its version; an empty text where it does not. */
const STATED: Readonly<Record<string, (text: string) => string>> = {
  'package.json': (text) => packageJson.safeParse(jsonIn(text)).data?.version ?? '',
  'pyproject.toml': (text) =>
    /^\[(?:project|tool\.poetry)\]\n(?:(?!\[).*\n)*?version\s*=\s*["']([^"']+)["']/m.exec(`${text}\n`)?.[1] ?? '',
  'Cargo.toml': (text) => /^\[package\]\n(?:(?!\[).*\n)*?version\s*=\s*"([^"]+)"/m.exec(`${text}\n`)?.[1] ?? '',
};

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A manifest that is no JSON states no version; the scan says that it is broken.
    return undefined;
  }
}

function partsOf(version: string): Parts | undefined {
  const [, major, minor, patch] = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(version) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function byVersion(left: string, right: string): number {
  const one = partsOf(left) ?? [0, 0, 0];
  const other = partsOf(right) ?? [0, 0, 0];
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function nextOf(highest: string | undefined): readonly string[] {
  const parts = highest === undefined ? undefined : partsOf(highest);
  if (parts === undefined) return [FIRST];
  const [major, minor, patch] = parts;
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`];
}
