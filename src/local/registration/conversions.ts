/** The code of a confirmed manifest for the App's credentials: https://docs.github.com/rest/apps/apps#create-a-github-app-from-a-manifest */
import { randomBytes } from 'node:crypto';
import { PUBLIC } from '../access.ts';
import { type Call, created, type Endpoints, textParameter } from '../rest/endpoint.ts';
import { appPayload } from '../rest/payloads.ts';
import { completeRegistration } from './registrations.ts';

export const conversionEndpoints: Endpoints = {
  'POST /app-manifests/{code}/conversions': { need: PUBLIC, answer: convert },
};

/** There is one App here, made at the first start: every registration is of that one, and hands out the credentials that it has. */
function convert(call: Call) {
  const { host } = call;
  const { manifest } = completeRegistration(host, textParameter(call, 'code'));
  const { privateKey, webhookSecret } = host.credentials;
  return created({
    ...appPayload(host),
    // Nobody is asked for it: there is no OAuth here.
    client_secret: randomBytes(20).toString('hex'),
    webhook_secret: manifest.hook_attributes === undefined ? null : webhookSecret,
    pem: privateKey,
  });
}
