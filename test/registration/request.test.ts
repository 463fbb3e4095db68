import { expect, test } from 'vitest';
import { requestOf, type Words } from '../../src/registration/request.ts';
import { readAppFile } from '../../src/settings/app-file.ts';

const app = await readAppFile();
const asked = (words: Partial<Words>) =>
  requestOf(app, { github: 'https://github.com', publicUrl: 'https://loops.acme.dev', ...words });

test.each([
  ['https://github.com', 'https://api.github.com'],
  ['https://github.com/', 'https://api.github.com'],
  ['https://acme.ghe.com', 'https://api.acme.ghe.com'],
  ['https://ghe.acme.dev', 'https://ghe.acme.dev/api/v3'],
  ['https://ghe.acme.dev:8443', 'https://ghe.acme.dev:8443/api/v3'],
  ['http://127.0.0.1:8480', 'http://127.0.0.1:8480/api/v3'],
])('%s has its API at %s', (github, apiUrl) => {
  const publicUrl = github.startsWith('http:') ? 'http://127.0.0.1:3000' : 'https://loops.acme.dev';
  expect(asked({ github, publicUrl }).apiUrl).toBe(apiUrl);
});

const ADDRESS =
  '--github: write the address of a GitHub and nothing behind it, as https://github.com or https://ghe.acme.dev';
const PUBLIC =
  '--public-url (or PUBLIC_URL): write the address under which GitHub reaches the App, as https://loops.acme.dev, without a user, "?" and "#"';

test.each([
  [{ github: 'github.com' }, ADDRESS],
  [{ github: 'https://me:hunter2@ghe.acme.dev' }, ADDRESS],
  [{ github: 'https://ghe.acme.dev/api/v3' }, ADDRESS],
  [
    { github: 'https://www.github.com' },
    '--github https://www.github.com: its pages are at another address; write https://github.com',
  ],
  [
    { github: 'https://api.acme.ghe.com' },
    '--github https://api.acme.ghe.com: its pages are at another address; write https://acme.ghe.com',
  ],
  [
    { github: 'http://ghe.acme.dev' },
    '--github http://ghe.acme.dev: its answer holds the private key of the App, so it has to begin with https://',
  ],
  [{ publicUrl: 'loops.acme.dev' }, PUBLIC],
  [{ publicUrl: 'https://me:hunter2@acme.dev' }, PUBLIC],
  [{ publicUrl: 'https://acme.dev/?a=1' }, PUBLIC],
  [{ publicUrl: 'https://acme.dev/$(id)' }, PUBLIC],
  [
    { publicUrl: 'http://loops.acme.dev' },
    '--public-url (or PUBLIC_URL) is http://loops.acme.dev: webhooks and the questions of jobs come there, so it has to begin with https://',
  ],
  [
    { publicUrl: 'http://localhost:3000' },
    '--public-url (or PUBLIC_URL) is http://localhost:3000: at that address https://github.com would look for the App on its own machine; name one that it reaches',
  ],
  [
    { organization: '../settings' },
    '--organization ../settings: write its name as in its address, as in --organization acme',
  ],
  [{ name: ' ' }, '--name " ": GitHub takes names of 1 to 34 characters'],
  [{ name: 'l'.repeat(35) }, `--name "${'l'.repeat(35)}": GitHub takes names of 1 to 34 characters`],
])('%j is refused', (words, sentence) => {
  expect(() => asked(words)).toThrow(sentence);
});

test('a long organization does not make the name too long', () => {
  expect(asked({ organization: 'a'.repeat(39) }).name).toHaveLength(34);
});
