/** What a tree's files hold, read by one process of git. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { contentsIn } from '../../src/trees/contents.ts';
import { openMirror, textsIn, treeOf } from '../../src/trees/repository.ts';

/** A repository with one commit of these files, and of a link to the first. */
async function committed(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), 'texts-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const checkout = join(root, 'checkout');
  const git = (...argv: readonly string[]) =>
    execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...argv], { cwd: checkout });
  await mkdir(checkout);
  await git('init', '--quiet');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), text);
  }
  await symlink(Object.keys(files)[0] ?? '', join(checkout, 'link'));
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'all');
  const repository = await openMirror(checkout, join(root, 'scratch'));
  const tree = new Map((await treeOf(repository, 'HEAD')).map(({ path, mode, id }) => [path, `${mode} ${id}`]));
  return { repository, tree };
}

test('each is read as it is, whatever stands in it, in the order asked for; links and what is not there have none', async () => {
  const files = {
    'empty.txt': '',
    'no end': 'one\ntwo',
    'ends.txt': 'blob 3\nabc\n\n',
    'Grüße/ä b.txt': 'ß €\n',
    'same.txt': 'one\ntwo',
  };
  const { repository, tree } = await committed(files);
  const paths = Object.keys(files);
  const texts = await textsIn(repository, tree, ['missing.txt', 'link', ...paths.toReversed(), 'same.txt']);
  expect(Object.fromEntries(texts)).toEqual(files);
  expect([...texts.keys()]).toEqual(paths.toReversed());
});

test('more than one process reads at once are all read', async () => {
  const files = Object.fromEntries(Array.from({ length: 1203 }, (_, index) => [`${index}.txt`, `text ${index}\n`]));
  const { repository, tree } = await committed(files);
  expect(Object.fromEntries(await textsIn(repository, tree, Object.keys(files)))).toEqual(files);
});

test('a file that git does not have is said, with its path', async () => {
  const { repository } = await committed({ a: 'a' });
  const tree = new Map([['gone.txt', `100644 ${'0'.repeat(40)}`]]);
  await expect(textsIn(repository, tree, ['gone.txt'])).rejects.toThrow('git does not tell what gone.txt');
});

test('a folder, a commit and an object that is not there have no text, and what comes after them is read as it is', async () => {
  const { repository } = await committed({ a: 'text of a', b: 'text of b\n' });
  const asked = ['HEAD:a', 'HEAD^{tree}', 'HEAD', '0'.repeat(40), 'HEAD:b'];
  const output = await repository.git(['cat-file', '--batch'], { input: `${asked.join('\n')}\n` });
  const contents = contentsIn(output).map(({ content }) => content);
  expect(contents).toEqual(['text of a', undefined, undefined, undefined, 'text of b\n']);
});
