import { expect, test } from 'vitest';
import { readAppFile } from '../../src/settings/app-file.ts';

test('app.yml gives each permission its reason, also the first, and events theirs', async () => {
  const { name, permissions, events, reasons } = await readAppFile();
  expect(name).toBe('loopwright');
  expect([...reasons.permissions.keys()]).toEqual(Object.keys(permissions));
  expect(reasons.permissions.get('metadata')).toBe('Always needed: names, default branch.');
  expect(reasons.permissions.get('contents')).toMatch(/^The loop branch, .* request table does not\.$/);
  expect(events).toContain('status');
  expect(reasons.events.get('repository')).toBe('A new name or owner: the loops go on there.');
});
