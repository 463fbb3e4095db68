/** Package manifests, the commands that they state, and the test runner that can be read from them. */

import { z } from 'zod';
import { jsonOf } from '../documents/json.ts';
import { type Commands, commands } from '../loop/brief.ts';
import { detectRunner } from '../runners/runners.ts';

export interface Manifest {
  readonly path: string;
  readonly kind: string;
  /** Names of what it depends on, where the format says so simply. */
  readonly dependencies: readonly string[];
}

export interface FoundCommand {
  readonly name: string;
  readonly command: string;
  readonly source: string;
}

export interface ManifestFacts {
  readonly manifests: readonly Manifest[];
  readonly commands: readonly FoundCommand[];
  readonly runner: Commands['runner'] | undefined;
  readonly notes: readonly string[];
}

const KINDS: Readonly<Record<string, string>> = {
  'package.json': 'npm',
  'pyproject.toml': 'python',
  'requirements.txt': 'python',
  'setup.py': 'python',
  'setup.cfg': 'python',
  'tox.ini': 'python',
  'go.mod': 'go',
  'Cargo.toml': 'cargo',
  'pom.xml': 'maven',
  'build.gradle': 'gradle',
  Gemfile: 'bundler',
  'composer.json': 'composer',
  Makefile: 'make',
  Dockerfile: 'docker',
  'docker-compose.yml': 'compose',
  'compose.yaml': 'compose',
};
const packageJson = z.looseObject({
  scripts: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
});

export function isManifest(path: string): boolean {
  return Object.hasOwn(KINDS, nameOf(path)) && !path.includes('node_modules/');
}

interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Reads what the manifests say; a broken one becomes a note. */
export function manifestFacts(texts: readonly TextFile[], files: readonly string[]): ManifestFacts {
  const read = texts.map(readManifest);
  const manifests = new Map(texts.map(({ path, text }) => [path, text]));
  return {
    manifests: read.map(({ manifest }) => manifest),
    commands: read.flatMap(({ commands }) => commands),
    runner: detectRunner({ files, manifests }, commands.shape.runner.options)?.name,
    notes: read.flatMap(({ note }) => (note === undefined ? [] : [note])),
  };
}

interface ReadManifest {
  readonly manifest: Manifest;
  readonly commands: readonly FoundCommand[];
  readonly note: string | undefined;
}

function readManifest({ path, text }: TextFile): ReadManifest {
  const kind = KINDS[nameOf(path)] ?? 'unknown';
  if (kind === 'npm') return readPackageJson(path, text);
  const dependencies = nameOf(path) === 'requirements.txt' ? requirementNames(text) : [];
  const commands = kind === 'make' ? makeTargets(path, text) : [];
  return { manifest: { path, kind, dependencies }, commands, note: undefined };
}

function readPackageJson(path: string, text: string): ReadManifest {
  const parsed = packageJson.safeParse(jsonOf(text));
  if (!parsed.success)
    return {
      manifest: { path, kind: 'npm', dependencies: [] },
      commands: [],
      note: `${path} is not a valid package.json.`,
    };
  const { scripts = {}, dependencies = {}, devDependencies = {} } = parsed.data;
  return {
    manifest: {
      path,
      kind: 'npm',
      dependencies: [...Object.keys(dependencies), ...Object.keys(devDependencies)].sort(),
    },
    commands: Object.entries(scripts).map(([name, command]) => ({ name, command, source: path })),
    note: undefined,
  };
}

function requirementNames(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^[A-Za-z0-9][\w.-]*/.exec(line.trim())?.[0] ?? []);
}

function makeTargets(path: string, text: string): readonly FoundCommand[] {
  return [...text.matchAll(/^([a-z][\w-]*):(?!=)/gm)].map(([, name = '']) => ({
    name,
    command: `make ${name}`,
    source: path,
  }));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
