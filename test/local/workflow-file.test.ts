import { describe, expect, it } from 'vitest';
import { parseWorkflow, WorkflowFileError } from '../../src/local/actions/workflow-file.ts';

const path = '.github/workflows/x.yml';
const job = 'jobs: { a: { runs-on: x, steps: [{ run: "true" }] } }';

describe('parseWorkflow', () => {
  it.each([
    ['on: push', { push: {} }],
    ['on: [push, pull_request]', { push: {}, pull_request: {} }],
    ['on: { push: { branches: main, paths: [src/**] } }', { push: { branches: ['main'], paths: ['src/**'] } }],
    ['on:\n  workflow_dispatch:', { workflow_dispatch: { inputs: {} } }],
    ['on: { schedule: [{ cron: "0 0 * * *" }] }', { schedule: [{ cron: '0 0 * * *' }] }],
  ])('reads the events of %s and invents none', (on, expected) => {
    expect(parseWorkflow(`${on}\n${job}`, path).on).toEqual(expected);
  });

  it('exposes name, run-name and permissions, and names a nameless workflow by its path', () => {
    const workflow = parseWorkflow(`name: N\nrun-name: R\non: push\npermissions: { contents: read }\n${job}`, path);
    expect(workflow).toMatchObject({ name: 'N', runName: 'R', permissions: { contents: 'read' } });
    expect(parseWorkflow(`on: push\n${job}`, path).name).toBe(path);
  });

  it.each([
    ['broken YAML', 'on: [', /^\.github\/workflows\/x\.yml: .* at line 1, column/],
    ['no jobs', 'on: push', /x\.yml: jobs: /],
    ['no event', job, /x\.yml: on: /],
    [
      'a key that the runner does not know',
      `on: push\n${job.replace('steps', 'services: {}, steps')}`,
      'x.yml: jobs.a: the local runner does not know "services"',
    ],
    [
      'a step with run and uses',
      `on: push\n${job.replace('run:', 'uses: x, run:')}`,
      'x.yml: jobs.a.steps[0]: a step needs exactly one of "run" and "uses"',
    ],
    [
      'an unknown needed job',
      `on: push\n${job.replace('runs-on', 'needs: b, runs-on')}`,
      'x.yml: jobs.a.needs: depends on unknown job "b"',
    ],
    [
      'a circle of jobs',
      `on: push\n${job.replace('runs-on', 'needs: a, runs-on')}`,
      'x.yml: jobs.a.needs: depends on itself in a circle',
    ],
    [
      'a matrix with include',
      `on: push\n${job.replace('steps', 'strategy: { matrix: { include: [1] } }, steps')}`,
      'include and exclude',
    ],
    [
      'a computed matrix',
      `on: push\n${job.replace('steps', `strategy: { matrix: "\${{ fromJSON(1) }}" }, steps`)}`,
      'only a matrix of plain lists',
    ],
    ['a permission that does not exist', `on: push\npermissions: { contents: admin }\n${job}`, 'x.yml: permissions'],
  ])('refuses %s with path and place', (_, text, message) => {
    expect(() => parseWorkflow(text, path)).toThrow(WorkflowFileError);
    expect(() => parseWorkflow(text, path)).toThrow(message);
  });
});
