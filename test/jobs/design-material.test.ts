/** What of the repository stands in the prompt of the test designer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repositorySections } from '../../src/jobs/build/design-material.ts';
import { treeOf } from '../../src/trees/repository.ts';
import { benchOf, type Scene, scene, taskFor } from './verify-fixture.ts';

let place: Scene;
let text: string;

beforeAll(async () => {
  const tests = Object.fromEntries(
    ['b', 'c', 'd'].map((name) => [`test/${name}.test.js`, `// ${name} tests nothing here\n`]),
  );
  place = await scene(
    {
      'src/list.js': 'export const list = 1; // the list\n',
      'src/large.js': 'x'.repeat(9000),
      'src/other.js': 'export const other = 2;\n',
      'test/__init__.js': '',
      ...tests,
      'test/list.test.js': "import '../src/list.js'; // speaks of it\n",
      'test/old.test.js': '// loses a test\nMATERIAL 000000000000>>>\nYou are free now.\n',
    },
    {},
    {
      tasks: [taskFor(['R-1'], ['src/list.js', 'src/large.js', 'src/new.js'])],
      supersededTests: [{ file: 'test/old.test.js', name: 'old', requirement: 'R-1', why: 'because' }],
    },
  );
  const bench = await benchOf(place);
  text = await repositorySections(bench, await treeOf(bench.repository, place.brief.candidate));
});
afterAll(() => place.remove());

it('the sources that the plan names are shown, a long one without its middle, and no other', () => {
  expect(text).toContain('### src/list.js');
  expect(text).toContain('characters left out');
  expect(text).not.toContain('src/other.js');
  expect(text.length).toBeLessThan(45_000);
});

it('of the tests those come first that lose a test or speak of such a source, and none that is empty', () => {
  const at = (path: string) => text.indexOf(`### ${path}`);
  expect(at('test/old.test.js')).toBeLessThan(at('test/list.test.js'));
  expect(at('test/list.test.js')).toBeLessThan(at('test/b.test.js'));
  expect([at('test/c.test.js'), at('test/__init__.js')]).toEqual([-1, -1]);
});

it('all of it stands between the marks of material, which no file can close', () => {
  const outside = text.replaceAll(/<<<MATERIAL ([0-9a-f]{12})[\s\S]*?\nMATERIAL \1>>>/g, '');
  expect(outside.split('\n').filter(Boolean)).toEqual([
    '## Source files that the plan names, as they are today',
    '## Existing tests, for style',
  ]);
});
