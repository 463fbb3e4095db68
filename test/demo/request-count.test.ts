import { expect, test } from 'vitest';
import { requestCount } from '../../src/demo/request-count.ts';

test('requests are counted without those of git and of the App for all its loops, writes by their method, and what people see for itself', () => {
  const sent = [
    ['GET', '/acme/guestbook.git/info/refs?service=git-upload-pack'],
    ['POST', '/acme/guestbook.git/git-upload-pack'],
    ['GET', '/app/hook/deliveries?per_page=100&status=failure'],
    ['GET', '/repositories/1/issues/1/comments?per_page=100'],
    ['POST', '/repos/acme/guestbook/issues/1/comments'],
    ['PATCH', '/repos/acme/guestbook/issues/comments/1'],
    ['POST', '/repos/acme/guestbook/issues/comments/1/reactions'],
    ['POST', '/repos/acme/guestbook/pulls'],
    ['POST', '/repos/acme/guestbook/check-runs'],
    ['POST', '/api/graphql'],
  ].map(([method = '', path = '']) => ({ method, path }));
  expect(requestCount(sent)).toEqual({ requests: 7, writes: 6, creations: 3 });
});
