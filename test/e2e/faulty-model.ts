/** The scripted model behind a door that can be made to fail for one loop in one phase, and that counts who came. */
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { readScript } from '../../src/demo/script.ts';
import { startScriptedModel } from '../../src/demo/scripted-model.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { listening } from '../listening.ts';
import { rightAtOnce } from './acts.ts';

export type Fault = 'garbage' | 'prose' | 'error' | 'silence';

/** For how long it may be silent; an honest answer must begin within it on a busy machine. */
export const TIMEOUT_MS = 3000;

/** What is said of each fault after "The model at <address> gave no usable <artifact> in 3 tries: ". */
export const FAULT_ROWS = [
  { case: 'JSON of another kind', fault: 'garbage', tries: thrice('an answer with 1 problem') },
  { case: 'a web page', fault: 'prose', tries: thrice('an answer that is no chat completion') },
  { case: 'HTTP 500', fault: 'error', tries: thrice('HTTP 500') },
  { case: 'nothing', fault: 'silence', tries: thrice('no answer within 3 s') },
] as const;

function thrice(what: string): string {
  return `${what}; ${what}; ${what}.`;
}

export interface FaultyModel {
  readonly url: string;
  /** From now on calls for this issue in this phase fail; undefined mends it. */
  fail(issue: number, phase: string, fault: Fault | undefined): void;
  /** How many calls came for this issue. */
  calls(issue: number): number;
  close(): Promise<void>;
}

const GARBAGE = { id: 'x', object: 'chat.completion', created: 0, model: 'x' };

const FAULTS: Readonly<Record<Fault, (response: ServerResponse) => void>> = {
  /** JSON of the right form whose content is not what was asked for. */
  garbage: (response) => answer(response, 200, said('["fine weather"]')),
  /** No answer to a chat at all. */
  prose: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome!</h1>'),
  error: (response) => answer(response, 500, { error: { message: 'out of memory', type: 'server_error' } }),
  silence: () => undefined,
};

export async function startFaultyModel(): Promise<FaultyModel> {
  const { issue: _, ...forAnyIssue } = await readScript(packageFile('src', 'demo', 'guestbook.yaml'));
  const model = await startScriptedModel(rightAtOnce(forAnyIssue));
  const faults = new Map<string, Fault>();
  const counts = new Map<number, number>();
  const server = createServer(async (request, response) => {
    const issue = Number(/#(\d+)/.exec(String(request.headers['x-loopwright-loop']))?.[1]);
    counts.set(issue, (counts.get(issue) ?? 0) + 1);
    const fault = faults.get(`${issue} ${request.headers['x-loopwright-phase']}`);
    if (fault !== undefined) return FAULTS[fault](response);
    const forwarded = await fetch(new URL(request.url ?? '', model.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-loopwright-attempt': String(request.headers['x-loopwright-attempt']),
      },
      body: await text(request),
    });
    const type = forwarded.headers.get('content-type') ?? 'application/json';
    response.writeHead(forwarded.status, { 'content-type': type }).end(await forwarded.text());
  });
  const url = `${await listening(server)}/v1`;
  return {
    url,
    fail(issue, phase, fault) {
      if (fault === undefined) faults.delete(`${issue} ${phase}`);
      else faults.set(`${issue} ${phase}`, fault);
    },
    calls: (issue) => counts.get(issue) ?? 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await model.close();
    },
  };
}

function said(content: string) {
  const message = { role: 'assistant', content };
  return {
    ...GARBAGE,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
