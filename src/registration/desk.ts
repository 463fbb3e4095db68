/** Takes what GitHub sends the browser back with: judges it, exchanges the code, and writes the file. */
import { LoopError } from '../errors.ts';
import { type Exchange, exchange, type RegisteredApp } from './convert.ts';
import { envTextOf, reserve } from './env-file.ts';
import type { RegistrationRequest } from './request.ts';
import { createStates, type Standing } from './states.ts';

export interface DeskOptions {
  readonly request: RegistrationRequest;
  /** Absolute. */
  readonly envFile: string;
  /** Said where the command was typed; holds no secret. */
  readonly complain: (sentence: string) => void;
}

export interface Registered {
  readonly id: number;
  readonly slug: string;
  /** Where it was written: beside what was asked for, if something had come there meanwhile. */
  readonly envFile: string;
  readonly installUrl: string;
}

/** What a browser was sent back with, and by what it is known. */
export interface Brought {
  readonly state: string;
  readonly code: string;
  readonly browser: string | undefined;
}

export type Received =
  | { readonly type: 'registered'; readonly registered: Registered }
  /** `again`: the same answer may be brought once more. */
  | {
      readonly type: 'refused';
      readonly status: 400 | 403 | 409 | 502;
      readonly sentence: string;
      readonly again: boolean;
    };

export interface Desk {
  /** A state for this browser. */
  readonly begin: (browser: string) => string;
  readonly receive: (brought: Brought) => Promise<Received>;
  /** Fulfilled when the file is written. */
  readonly registered: Promise<Registered>;
  /** Waits for what GitHub is being asked, because it answers once. */
  readonly settled: () => Promise<Registered | undefined>;
}

const SENTENCES: Readonly<Record<Exclude<Standing, 'awaited'>, string>> = {
  foreign: 'This answer belongs to nothing that was begun in this browser, so nothing was done with it.',
  spent: 'This answer of GitHub was taken already, and counts once.',
};

export function createDesk(options: DeskOptions): Desk {
  const states = createStates();
  const finish = createFinish(options);
  const { promise: registered, resolve } = Promise.withResolvers<Registered>();
  let underWay: Promise<Received> | undefined;
  let done: Registered | undefined;
  const finished = async (state: string, code: string): Promise<Received> => {
    const received = await finish(code);
    if (received.type === 'registered') done = received.registered;
    if (received.type === 'registered' || !received.again) states.spend(state);
    return received;
  };
  return {
    registered,
    begin: states.begin,
    async receive({ state, code, browser }) {
      const standing = states.standing(state, browser);
      if (standing !== 'awaited') return refused(403, SENTENCES[standing]);
      if (!/^[\w-]{1,200}$/.test(code)) return refused(400, 'GitHub sent no code along; begin again.');
      if (underWay !== undefined || done !== undefined) return refused(409, SENTENCES.spent);
      underWay = finished(state, code);
      const received = await underWay.finally(() => {
        underWay = undefined;
      });
      if (received.type === 'registered') resolve(received.registered);
      else options.complain(received.sentence);
      return received;
    },
    settled: async () => {
      await underWay;
      return done;
    },
  };
}

function refused(status: 400 | 403 | 409 | 502, sentence: string, again = false): Received {
  return { type: 'refused', status, sentence, again };
}

/** The file is made first and kept only when it has its text; what GitHub gave for a code is remembered until then. */
function createFinish({ request, envFile }: DeskOptions): (code: string) => Promise<Received> {
  const known = new Map<string, RegisteredApp>();
  const ask = async (code: string): Promise<Exchange> => {
    const app = known.get(code);
    return app === undefined ? exchange(request, code) : { type: 'registered', app };
  };
  return async (code) => {
    try {
      const file = await reserve(envFile);
      const answer = await ask(code);
      if (answer.type === 'failed') {
        await file.remove();
        return refused(502, answer.sentence, answer.again);
      }
      const { app } = answer;
      known.set(code, app);
      await file.write(envTextOf(request, app, new Date()));
      const installUrl = `${app.html_url.replace(/\/$/, '')}/installations/new`;
      return { type: 'registered', registered: { id: app.id, slug: app.slug, envFile: file.path, installUrl } };
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      return refused(502, error.message, true);
    }
  };
}
