/** Looks at how webhooks come to the App: where GitHub sends them, what it signs them with, and whether they arrive. */
import type { DeliveryFacts } from '../github/inspection-port.ts';
import { WEBHOOK_PATH } from '../intake/webhooks.ts';
import { type Finding, missing, needed, ok, unknown, wrong } from './finding.ts';
import { looksAt } from './look.ts';

export const webhookLooks = looksAt('webhook', {
  address: async ({ github, environment }) => {
    const { url } = await (await github()).hook();
    const ours = `${needed(environment.app.PUBLIC_URL, 'PUBLIC_URL').replace(/\/$/, '')}${WEBHOOK_PATH}`;
    if (url === ours) return ok(`GitHub sends them to ${ours}.`);
    const remedy = `Set the webhook address of the App to ${ours}, and switch it to active.`;
    return url === undefined
      ? missing('The App has no webhook address.', remedy)
      : wrong(`GitHub sends them to ${url}, and PUBLIC_URL means ${ours}.`, remedy);
  },
  secret: async ({ github }) => {
    const { hasSecret, checksCertificate } = await (await github()).hook();
    if (!hasSecret)
      return missing(
        'GitHub signs no webhook, and the App takes none that is not signed.',
        "Set the secret of the App's webhook to WEBHOOK_SECRET.",
      );
    if (!checksCertificate)
      return wrong(
        'GitHub does not check the certificate of the address that it sends webhooks to.',
        "Switch on SSL verification of the App's webhook.",
      );
    return ok(
      'GitHub signs them, and checks where it sends them; whether the secret is WEBHOOK_SECRET only deliveries show.',
    );
  },
  deliveries: async ({ github }) => findingOf(await (await github()).deliveries()),
});

const NO_DELIVERY = 'none came in the last three days, so whether the webhook is active cannot be known';

function findingOf(deliveries: readonly DeliveryFacts[]): Finding {
  const [newest] = deliveries;
  if (newest === undefined)
    return unknown(`Of deliveries ${NO_DELIVERY}.`, 'Open an issue, and ask again; look that the webhook is active.');
  const failed = deliveries.filter((one) => !arrived(one)).length;
  const told = `${newest.name} at ${newest.triedAt}`;
  if (arrived(newest))
    return ok(`The newest one (${told}) arrived${failed === 0 ? '' : `; ${failed} before it did not`}.`);
  const [, sentence, remedy] = REASONS.find(([isSo]) => isSo(newest.status)) ?? [];
  return wrong(`The newest one (${told}) did not arrive: ${sentence ?? newest.outcome}.`, remedy ?? REACH);
}

function arrived({ status }: DeliveryFacts): boolean {
  return status >= 200 && status < 400;
}

const REACH =
  'Start the App, and see that GitHub can reach PUBLIC_URL; the App asks for missed webhooks again by itself.';

const REASONS: readonly (readonly [isSo: (status: number) => boolean, sentence: string, remedy: string])[] = [
  [
    (status) => status === 400 || status === 401,
    "the App refused it, most likely because the webhook's secret is not WEBHOOK_SECRET",
    "Set the secret of the App's webhook on GitHub and WEBHOOK_SECRET to the same value, and start the App anew.",
  ],
  [(status) => status === 404, 'there is no App at that address', REACH],
  [(status) => status >= 500, 'the App, or what stands before it, failed', 'Look into the log of the App.'],
];
