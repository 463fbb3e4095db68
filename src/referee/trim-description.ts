/** Makes `description.json` from GitHub's OpenAPI description: `node trim-description.ts <api.github.com.json> <description.json>`; the full file is `generated/api.github.com.json` of `@octokit/openapi`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Fields, fieldsOf, isFields } from './json.ts';
import { REQUESTS } from './requests.ts';

const WEBHOOKS =
  /^(issues-(opened|labeled|unlabeled|closed|reopened|edited|deleted|transferred)|issue-comment-(created|edited|deleted)|label-created|pull-request-(opened|edited|synchronize|closed|labeled|unlabeled|reopened|ready-for-review|converted-to-draft)|pull-request-review-submitted|check-run-|check-suite-(requested|rerequested|completed)|workflow-run-|push$|create$|delete$|status$|ping$|repository-(renamed|transferred|archived|unarchived|privatized|publicized)$|installation-(suspend|unsuspend|new-permissions-accepted)$|installation-repositories-(added|removed)$|merge-group-(checks-requested|destroyed)$)/;

const SECTIONS = ['schemas', 'parameters', 'responses', 'headers'] as const;

const DROPPED = new Set(['description', 'summary', 'externalDocs', 'x-github', 'title', 'example', 'examples']);

/** The operations of the request table and the webhooks in use, with every component that they refer to and without prose. */
export function trimDescription(full: Fields): Fields {
  const paths = trimPaths(fieldsOf(full.paths));
  const webhooks = Object.fromEntries(
    Object.entries(fieldsOf(full['x-webhooks']))
      .filter(([name]) => WEBHOOKS.test(name))
      .map(([name, hook]) => [name, withoutProse(hook)]),
  );
  const components = collectComponents([paths, webhooks], fieldsOf(full.components));
  return { openapi: full.openapi, info: full.info, paths, 'x-webhooks': webhooks, components };
}

function trimPaths(paths: Fields): Fields {
  const kept: Record<string, Record<string, unknown>> = {};
  for (const { method, route } of REQUESTS) {
    const operation = fieldsOf(paths[route])[method.toLowerCase()];
    if (!isFields(operation)) throw new Error(`request table: GitHub's description has no ${method} ${route}`);
    kept[route] = { ...kept[route], [method.toLowerCase()]: withoutProse(operation) };
  }
  return kept;
}

/** A property may be called `description` or `title`: under `properties` nothing is dropped. */
function withoutProse(node: unknown, isPropertyMap = false): unknown {
  if (Array.isArray(node)) return node.map((entry) => withoutProse(entry));
  if (!isFields(node)) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => isPropertyMap || !DROPPED.has(key))
      .map(([key, value]) => [key, withoutProse(value, !isPropertyMap && key === 'properties')]),
  );
}

function collectComponents(roots: readonly unknown[], all: Fields): Fields {
  const kept: Record<string, Record<string, unknown>> = Object.fromEntries(SECTIONS.map((name) => [name, {}]));
  const waiting: unknown[] = [...roots];
  while (waiting.length > 0) {
    for (const [section, name] of referencesIn(waiting.pop())) {
      const place = kept[section];
      if (!place || name in place) continue;
      place[name] = withoutProse(fieldsOf(all[section])[name]);
      waiting.push(place[name]);
    }
  }
  return kept;
}

function referencesIn(node: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(node)) return node.flatMap(referencesIn);
  if (!isFields(node)) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key !== '$ref' || typeof value !== 'string') return referencesIn(value);
    const [, , section = '', name = ''] = value.split('/');
    return [[section, name] as const];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , source = '', target = ''] = process.argv;
  writeFileSync(target, JSON.stringify(trimDescription(fieldsOf(JSON.parse(readFileSync(source, 'utf8'))))));
}
