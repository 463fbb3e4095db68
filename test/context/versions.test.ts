import { afterEach, describe, expect, it } from 'vitest';
import { versionsOf } from '../../src/context/versions.ts';
import { openStage, type Stage } from '../drafting/stage.ts';

let stage: Stage;
afterEach(() => stage.close());

async function versions(files: Readonly<Record<string, string>>, tags: readonly string[] = []) {
  stage = await openStage({ 'README.md': 'x', ...files });
  const github = { ...stage.ports.github, tags: async () => tags };
  return versionsOf(stage.loop, { ...stage.ports, github });
}

describe('the version of a repository', () => {
  it.each([
    ['package.json', '{ "name": "x", "version": "0.4.0" }'],
    ['pyproject.toml', '[build-system]\nrequires = []\n[project]\nname = "x"\nversion = "0.4.0"\n'],
    ['pyproject.toml', '[tool.poetry]\nversion = "0.4.0"'],
    ['Cargo.toml', '[package]\nname = "x"\nversion = "0.4.0"\n'],
  ])('is read from %s', async (path, text) => {
    expect(await versions({ [path]: text })).toEqual({
      current: '0.4.0',
      found: [`${path}: 0.4.0`],
      next: ['0.4.1', '0.5.0', '1.0.0'],
    });
  });

  it('is the highest of manifest and tags, and is proposed as its tags are written', async () => {
    const found = await versions({ 'package.json': '{ "version": "1.2.0" }' }, ['v1.10.0', 'v1.9.3', 'nightly', 'v2']);
    expect(found).toEqual({
      current: '1.10.0',
      found: ['package.json: 1.2.0', 'the newest tag: v1.10.0'],
      next: ['v1.10.1', 'v1.11.0', 'v2.0.0'],
    });
  });

  it.each([
    ['nothing states one', {}],
    ['the manifest is broken', { 'package.json': '{' }],
    ['it is of another kind', { 'package.json': '{ "version": "2026.4-rc" }' }],
    ['it belongs to something else', { 'pyproject.toml': '[tool.black]\nversion = "22.1.0"\n' }],
  ])('begins with 0.1.0 where %s', async (_, files) => {
    expect(await versions(files)).toEqual({ current: undefined, found: [], next: ['0.1.0'] });
  });
});
