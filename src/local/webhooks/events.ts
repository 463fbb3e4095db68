/** Telling the App what happened: a webhook in GitHub's shape, checked and put into the outbox. */
import type { Fields } from '../../referee/json.ts';
import { type Host, nodeIdOf, repositoryUrlOf } from '../host.ts';
import type { Repository } from '../records.ts';
import { complete, FORGOTTEN } from '../rest/completion.ts';
import { accountPayload, repositoryPayload } from '../rest/payloads.ts';
import { isTold } from '../standing.ts';

export interface Happening {
  readonly event: string;
  readonly action?: string;
  readonly repository: Repository;
  readonly sender: string;
  readonly fields: Fields;
}

/** Stores the webhook; call it in the transaction of the change. Returns the payload as it is sent. */
export function emit(host: Host, { event, action, repository, sender, fields }: Happening): Fields {
  const current = host.state.repositories.get(repository.id) ?? repository;
  const values = {
    ...fields,
    repository: { ...repositoryPayload(host, current), ...(event === 'push' ? pushTimes(current) : {}) },
    sender: accountPayload(host, sender),
    installation: {
      id: host.credentials.installationId,
      node_id: nodeIdOf('Installation', host.credentials.installationId),
    },
  };
  return deliver(host, { event, action, repository: current, values });
}

export interface Outgoing {
  readonly event: string;
  readonly action: string | undefined;
  /** In whose order it leaves. */
  readonly repository: Repository;
  readonly values: Fields;
}

/** Fills a webhook up to GitHub's shape, checks it and stores it, whatever it is about. Returns the payload as it is sent. */
export function deliver(host: Host, { event, action, repository, values }: Outgoing): Fields {
  const schema = host.contract.webhookSchema(event, action);
  const subject = `webhook ${event}${action ? `.${action}` : ''}`;
  const url = repositoryUrlOf(host, repository);
  const whole = { ...(action === undefined ? {} : { action }), ...values };
  const { value, forgotten } = complete({ contract: host.contract, schema: schema ?? {}, subject, value: whole, url });
  const payload: Fields = JSON.parse(JSON.stringify(value));
  for (const { where, message } of host.contract.webhook(event, payload)) host.reportProblem(subject, where, message);
  for (const field of forgotten) host.reportProblem(subject, field, FORGOTTEN);
  if (event.startsWith('installation') || isTold(host, repository))
    host.outbox.add({ event, action, repositoryId: repository.id, payload });
  return payload;
}

/** In push payloads alone the times of a repository are seconds since 1970. */
function pushTimes({ createdAt, pushedAt }: Repository): Fields {
  return { created_at: Math.floor(Date.parse(createdAt) / 1000), pushed_at: Math.floor(Date.parse(pushedAt) / 1000) };
}
