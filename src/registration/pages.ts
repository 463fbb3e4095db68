/** The pages that the browser shows: what will be asked for, and what came of it. No scripts, nothing from elsewhere. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { manifestOf, type RegistrationRequest, registrationUrlOf, webhookUrlOf } from './request.ts';

export type Html = ReturnType<typeof html>;

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:46rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884}
button{font:inherit;font-weight:600;padding:.6rem 1.2rem;cursor:pointer}th{white-space:nowrap}td code,p code{overflow-wrap:anywhere}[role=alert]{border-left:4px solid #c33;padding-left:1rem}`;

const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64');

/** What a page may do: be styled by ours, and send its form to GitHub, where it has one. */
export function policyOf(formAction: string): string {
  return `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`;
}

function frame(title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>`;
}

interface Asking {
  readonly request: RegistrationRequest;
  /** Of these pages. */
  readonly address: string;
  readonly state: string;
}

export function askingPage({ request, address, state }: Asking): Html {
  const { webUrl, organization, app, name } = request;
  const { host } = new URL(webUrl);
  const whose = organization === undefined ? 'your own account' : `the organization ${organization}`;
  const permissions = Object.entries(app.permissions).map(([permission, level]) => ({
    words: `${permission}: ${level}`,
    reason: app.reasons.permissions.get(permission),
  }));
  const events = app.events.map((event) => ({ words: event, reason: app.reasons.events.get(event) }));
  return frame(
    `Register ${name} on ${host}`,
    html`<p>The button sends what stands below to <code>${webUrl}</code>, for ${whose}. GitHub shows it once more, lets you change the name, and registers the App when you confirm. Sign in there first, in this browser.</p>
<form method="post" action="${registrationUrlOf(request, state)}">
<input type="hidden" name="manifest" value="${manifestOf(request, address)}">
<button>Register it on ${host}</button>
</form>
<h2>Name and addresses</h2>
<table>
<tr><th>Name</th><td>${name}; on ${host} no other App may have it</td></tr>
<tr><th>Webhooks</th><td><code>${webhookUrlOf(request)}</code></td></tr>
<tr><th>Who may install it</th><td>the account that owns it, and nobody else</td></tr>
</table>
${asked('What it may do', permissions)}
${asked('What it hears of', events)}`,
  );
}

interface Row {
  readonly words: string;
  readonly reason: string | undefined;
}

function asked(title: string, rows: readonly Row[]): Html {
  return html`<h2>${title}</h2>
<table>
${rows.map(({ words, reason }) => html`<tr><th><code>${words}</code></th><td>${reason ?? ''}</td></tr>\n`)}</table>`;
}

export interface Written {
  readonly slug: string;
  readonly envFile: string;
  readonly installUrl: string;
}

export function writtenPage({ slug, envFile, installUrl }: Written): Html {
  return frame(
    `${slug} is registered`,
    html`<p>Its id, its private key and the secret of its webhook stand in <code>${envFile}</code>, which you alone may read. They were shown nowhere.</p>
<p><a href="${installUrl}">Install it</a> on the repositories that it shall work in. What comes then stands in the terminal, where the command has ended.</p>`,
  );
}

/** `links`: what can be done now, words and addresses. */
export function refusedPage(sentence: string, links: Readonly<Record<string, string>>): Html {
  return frame(
    'Not registered',
    html`<p role="alert">${sentence}</p>
${Object.entries(links).map(([words, address]) => html`<p><a href="${address}">${words}</a></p>\n`)}`,
  );
}
