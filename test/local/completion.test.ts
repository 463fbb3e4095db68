/** Answers are filled up to GitHub's description only where that was reviewed. */
import { expect, test } from 'vitest';
import { complete } from '../../src/local/rest/completion.ts';
import { isReviewed } from '../../src/local/rest/filled.ts';
import { gitHubContract } from '../../src/referee/contract.ts';

const contract = gitHubContract();
const schema = contract.responseSchema('GET', '/repos/{owner}/{repo}/issues/{issue_number}', 200) ?? {};
const filled = (value: unknown) => complete({ contract, schema, subject: 'GET issue', value, url: 'http://here' });

test('a field that an endpoint forgot is filled, and named with its schema', () => {
  const { value, forgotten } = filled({ url: 'http://here/issues/1' });
  expect(value).toMatchObject({ title: '', comments: 0, labels_url: 'http://here/issues/1/labels' });
  expect(forgotten).toContain('issue title');
  expect(forgotten).toContain('issue comments');
});

test('what is not modelled was reviewed once, and is not named', () => {
  expect(filled({}).forgotten).not.toContain('issue labels_url');
  expect(isReviewed('issue', 'labels_url')).toBe(true);
  expect(isReviewed('issue', 'html_url')).toBe(false);
});

test('a webhook of the same group has the same list, and another one has not', () => {
  expect(isReviewed('webhook-issues-labeled', 'events_url')).toBe(true);
  expect(isReviewed('webhook-pull-request-labeled', 'labels')).toBe(false);
});
