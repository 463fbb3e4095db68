/** Webhooks that GitHub could not bring: GitHub tries once, and remembers for three days. https://docs.github.com/rest/apps/webhooks */
import type { Octokit } from '@octokit/rest';
import type { FailedDelivery, GitHub } from './github-port.ts';

const PAGE = 100;

export async function failedDeliveries(octokit: Octokit, cursor?: string): ReturnType<GitHub['failedDeliveries']> {
  const { data, headers } = await octokit.rest.apps.listWebhookDeliveries({
    per_page: PAGE,
    status: 'failure',
    ...(cursor === undefined ? {} : { cursor }),
  });
  return { deliveries: data.filter(isFailed).map(deliveryOf), next: cursorOf(headers.link) };
}

type Listed = Awaited<ReturnType<Octokit['rest']['apps']['listWebhookDeliveries']>>['data'][number];

/** An older GitHub Enterprise Server lists all of them, whatever was asked for. */
function isFailed({ status_code: status }: Listed): boolean {
  return status < 200 || status > 399;
}

/** Ids beyond 2^53 come as bigint, which the types do not know. */
function deliveryOf({ id, guid, event, action, delivered_at: triedAt }: Listed): FailedDelivery {
  return { id: String(id), guid, name: action === null ? event : `${event}.${action}`, triedAt };
}

/** The link itself leads to the address by which GitHub knows itself; only its cursor is taken. */
function cursorOf(link: string | undefined): string | undefined {
  const [, next] = /<([^>]+)>;\s*rel="next"/.exec(link ?? '') ?? [];
  return next === undefined ? undefined : (new URL(next).searchParams.get('cursor') ?? undefined);
}

// Not a literal type: Octokit's own takes the id as a number only.
const REDELIVER: string = 'POST /app/hook/deliveries/{delivery_id}/attempts';

export async function redeliver(octokit: Octokit, deliveryId: string): Promise<void> {
  await octokit.request(REDELIVER, { delivery_id: deliveryId });
}
