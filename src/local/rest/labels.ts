/** Labels of repositories and issues: https://docs.github.com/rest/issues/labels */
import { z } from 'zod';
import { type Need, PUBLIC } from '../access.ts';
import { found, HttpError } from '../http-error.ts';
import type { Issue, Label } from '../records.ts';
import {
  actingLogin,
  type Call,
  created,
  type Endpoints,
  list,
  ok,
  parseBody,
  repositoryOf,
  textParameter,
} from './endpoint.ts';
import { addLabels, createLabel, removeLabel, replaceLabels } from './issue-changes.ts';
import { issueOf } from './issues.ts';
import { labelPayload, labelPayloads } from './payloads.ts';

const TRIAGE: Need = { permission: 'issues', level: 'write', people: 'triage' };
const WRITE: Need = { permission: 'issues', level: 'write', people: 'write' };
const ISSUE_LABELS = '/repos/{owner}/{repo}/issues/{issue_number}/labels';

export const labelEndpoints: Endpoints = {
  'GET /repos/{owner}/{repo}/labels': {
    need: PUBLIC,
    answer: (call) => list(labelsOf(call).map((label) => labelPayload(call.host, repositoryOf(call), label))),
  },
  'POST /repos/{owner}/{repo}/labels': { need: WRITE, answer: makeLabel },
  'GET /repos/{owner}/{repo}/labels/{name}': {
    need: PUBLIC,
    answer: (call) => ok(labelPayload(call.host, repositoryOf(call), labelOf(call))),
  },
  'PATCH /repos/{owner}/{repo}/labels/{name}': { need: WRITE, answer: changeLabel },
  [`GET ${ISSUE_LABELS}`]: { need: PUBLIC, answer: (call) => list(issueLabels(call, issueOf(call))) },
  [`POST ${ISSUE_LABELS}`]: {
    need: TRIAGE,
    answer: async (call) => ok(issueLabels(call, await addLabels(changeOf(call), namesIn(call)))),
  },
  [`PUT ${ISSUE_LABELS}`]: {
    need: TRIAGE,
    answer: async (call) => ok(issueLabels(call, await replaceLabels(changeOf(call), namesIn(call)))),
  },
  [`DELETE ${ISSUE_LABELS}/{name}`]: {
    need: TRIAGE,
    answer: async (call) => ok(issueLabels(call, await removeLabel(changeOf(call), textParameter(call, 'name')))),
  },
};

const LONGEST_DESCRIPTION = 100;
const newLabel = z.object({
  name: z.string(),
  color: z.string().default('ededed'),
  description: z.string().max(LONGEST_DESCRIPTION).nullish(),
});

function makeLabel(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const { name, color, description } = parseBody(call, newLabel);
  if (labelsOf(call).some((label) => label.name.toLowerCase() === name.toLowerCase())) {
    throw new HttpError(422, 'Validation Failed', [{ resource: 'Label', code: 'already_exists', field: 'name' }]);
  }
  const label = createLabel({
    host,
    repository,
    sender: actingLogin(call),
    label: { name, color, description: description ?? undefined },
  });
  return created(labelPayload(host, repository, label));
}

function changeLabel(call: Call) {
  const { color, description } = parseBody(call, newLabel.partial());
  const known = labelOf(call);
  const label = call.host.state.labels.update(known.id, {
    color: color ?? known.color,
    description: description ?? known.description,
  });
  return ok(labelPayload(call.host, repositoryOf(call), label));
}

const nameSchema = z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]);
const namesSchema = z.union([
  z.object({ labels: z.array(nameSchema) }).transform(({ labels }) => labels),
  z.array(nameSchema),
]);

function namesIn(call: Call): readonly string[] {
  return parseBody(call, namesSchema);
}

function changeOf(call: Call) {
  return { host: call.host, repository: repositoryOf(call), issue: issueOf(call), sender: actingLogin(call) };
}

function issueLabels(call: Call, issue: Issue) {
  return labelPayloads(call.host, repositoryOf(call), issue.labels);
}

function labelsOf(call: Call): readonly Label[] {
  return call.host.state.labels.find({ repositoryId: repositoryOf(call).id });
}

function labelOf(call: Call): Label {
  const name = textParameter(call, 'name').toLowerCase();
  return found(labelsOf(call).find((label) => label.name.toLowerCase() === name));
}
