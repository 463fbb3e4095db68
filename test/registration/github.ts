/** As much of GitHub as registers an App: the page that takes a manifest, whose button is pressed at once, and the exchange of the code. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { listening } from '../listening.ts';

export const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();
export const WEBHOOK_SECRET = randomBytes(20).toString('hex');
export const CLIENT_SECRET = randomBytes(20).toString('hex');

export const manifest = z.strictObject({
  name: z.string(),
  url: z.url(),
  description: z.string(),
  public: z.literal(false),
  hook_attributes: z.strictObject({ url: z.url(), active: z.literal(true) }),
  redirect_url: z.url(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

/** What comes instead of the answer to an exchange, or before it: no answer, another status, another text; a while. */
export type Trouble =
  | { readonly cut: true }
  | { readonly until: Promise<void> }
  | { readonly status: number; readonly text?: string };

export interface Submitted {
  readonly path: string;
  readonly manifest: z.infer<typeof manifest>;
}

export interface RegisteringGitHub {
  readonly url: string;
  readonly submitted: Submitted[];
  /** Paths and headers of all exchanges. */
  readonly exchanges: { readonly path: string; readonly authorization: string | undefined }[];
  /** Taken one by one. */
  readonly troubles: Trouble[];
  close(): void;
}

/** What GitHub answers to an exchange. */
export function conversionOf(url: string, slug: string) {
  return {
    ...{ id: 4711, slug, node_id: 'A_x', client_id: 'Iv1.x', name: slug, html_url: `${url}/github-apps/${slug}` },
    ...{ client_secret: CLIENT_SECRET, webhook_secret: WEBHOOK_SECRET, pem: PEM },
  };
}

export async function startRegisteringGitHub(): Promise<RegisteringGitHub> {
  const submitted: Submitted[] = [];
  const exchanges: RegisteringGitHub['exchanges'] = [];
  const troubles: Trouble[] = [];
  const names = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    if (request.method === 'POST' && pathname.endsWith('/settings/apps/new')) {
      const sent = manifest.parse(JSON.parse(new URLSearchParams(await textOf(request)).get('manifest') ?? ''));
      submitted.push({ path: pathname, manifest: sent });
      const code = randomBytes(20).toString('hex');
      names.set(code, sent.name.replaceAll(' ', '-'));
      const back = new URLSearchParams({ code, state: searchParams.get('state') ?? '' });
      return void response.writeHead(302, { location: `${sent.redirect_url}?${back}` }).end();
    }
    exchanges.push({ path: pathname, authorization: request.headers.authorization });
    const trouble = troubles.shift();
    if (trouble !== undefined && 'cut' in trouble) return void request.socket.destroy();
    if (trouble !== undefined && 'until' in trouble) await trouble.until;
    else if (trouble !== undefined) return void response.writeHead(trouble.status).end(trouble.text);
    const [, code = ''] = /^\/api\/v3\/app-manifests\/(\w+)\/conversions$/.exec(pathname) ?? [];
    const slug = names.get(code);
    names.delete(code);
    if (slug === undefined) return void response.writeHead(404).end('{"message":"Not Found"}');
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(conversionOf(url, slug)));
  });
  const url = await listening(server);
  return { url, submitted, exchanges, troubles, close: () => void server.close() };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
