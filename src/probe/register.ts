/** Whether GitHub has the App as `register` asks for it. */
import { lackingOf } from '../doctor/app-looks.ts';
import { type Finding, needed, ok, wrong } from '../doctor/finding.ts';
import type { AppFacts, HookFacts } from '../github/inspection-port.ts';
import { WEBHOOK_PATH } from '../intake/webhooks.ts';
import { type AppFile, readAppFile } from '../settings/app-file.ts';
import type { Scratch } from './scratch.ts';

export async function asRegistered({ inspection, publicUrl }: Scratch): Promise<Finding> {
  const address = `${needed(publicUrl, 'PUBLIC_URL')}${WEBHOOK_PATH}`;
  const [app, hook, file] = [await inspection.app(), await inspection.hook(), await readAppFile()];
  const lacking = [...otherIn(app, file), ...wrongIn(hook, address)];
  return lacking.length === 0
    ? ok(`GitHub has the App as registered: what app.yml asks for, and webhooks to ${address}.`)
    : wrong(
        `GitHub has the App otherwise than \`register\` asks for it: ${lacking.join('; ')}.`,
        `Correct it at ${app.url}; where \`register\` itself left it so, tell the maintainers.`,
      );
}

function otherIn({ permissions, events }: AppFacts, file: AppFile): readonly string[] {
  return [
    ...lackingOf(file.permissions, permissions).map((one) => `the permission ${one} is missing`),
    ...lackingOf(permissions, file.permissions).map((one) => `the permission ${one} is more than that`),
    ...file.events.filter((name) => !events.includes(name)).map((name) => `the event ${name} is missing`),
  ];
}

function wrongIn({ url, hasSecret }: HookFacts, address: string): readonly string[] {
  return [
    ...(url === address ? [] : [`webhooks go to ${url ?? 'nowhere'}, not to ${address}`]),
    ...(hasSecret ? [] : ['webhooks have no secret']),
  ];
}
