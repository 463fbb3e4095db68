import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Exchange, Gate } from '../e2e/gate.ts';
import { finish, openLabelledIssue } from '../e2e/journey.ts';
import { type Processes, startProcesses } from '../e2e/processes.ts';
import { type Remains, remainsOf } from '../e2e/remains.ts';
import { jobFetched, lost } from '../e2e/seen.ts';

/** No measurement: a machine that does much else is waited for. */
const PATIENCE_MS = 900_000;
const TIMEOUT_MS = PATIENCE_MS + 60_000;

/** Lays in wait at once, and crashes when it is its turn. */
type Crash = (processes: Processes) => () => Promise<void>;

/** Lives through a whole loop; `crashes` happen meanwhile, in their order. */
async function live(...crashes: readonly Crash[]): Promise<Remains> {
  const processes = await startProcesses();
  try {
    const crashing = crashInTurn(processes, crashes);
    const issue = await openLabelledIssue(processes);
    const finishing = finish(processes, issue, PATIENCE_MS).then(crashing.assertOver);
    await Promise.all([finishing, crashing.over]);
    return await remainsOf(processes, issue);
  } finally {
    await processes.close();
  }
}

/** A crash that was never reached is a failure of the test, and must not be waited for. */
function crashInTurn(processes: Processes, crashes: readonly Crash[]) {
  let count = 0;
  const waiting = crashes.map((crash) => crash(processes));
  const inTurn = async () => {
    for (const crash of waiting) {
      await crash();
      count += 1;
    }
  };
  const over = inTurn();
  const assertOver = () => {
    if (count < crashes.length) throw new Error(`the loop ended before crash ${count + 1} of ${crashes.length}`);
  };
  return { over, assertOver };
}

async function restartApp(processes: Processes): Promise<void> {
  await processes.kill('app');
  await processes.startApp();
}

/** Kills the App when GitHub has done what it was asked, but before the App can know. */
function deafTo(asked: (exchange: Exchange) => boolean): Crash {
  return killedAt(({ toGitHub }) => toGitHub.hold('answer', asked));
}

/** Kills the App while the model is thinking. */
function thinking(asked: (exchange: Exchange) => boolean): Crash {
  return killedAt(({ toModel }) => toModel.hold('request', asked));
}

function killedAt(held: (processes: Processes) => ReturnType<Gate['hold']>): Crash {
  return (processes) => {
    const { reached, release } = held(processes);
    return async () => {
      await reached;
      await restartApp(processes);
      release();
    };
  };
}

const answers = (name: string) => (exchange: Exchange) => exchange.body.includes(`"name":"${name}"`);
const building = ({ body }: Exchange) => body.includes('Task T-2');
const asks = (method: string, path: RegExp) => (exchange: Exchange) =>
  exchange.method === method && path.test(exchange.path);
const dispatches = asks('POST', /loopwright-build\.yml\/dispatches$/);
const opensPull = asks('POST', /\/pulls$/);
const lands = (exchange: Exchange) =>
  asks('POST', /\/git\/refs$/)(exchange) && exchange.body.includes('refs/loopwright');
const promotes = asks('PATCH', /\/git\/refs\/heads/);
const writes = (marker: string) => (exchange: Exchange) =>
  asks('POST', /\/comments$/)(exchange) && exchange.body.includes(`loopwright:${marker}`);
const readies = asks('POST', /\/graphql$/);

/** These die while the BUILD run works; where it is the App alone, the run goes on without it. */
function duringBuild(...names: readonly ('app' | 'github')[]): Crash {
  return (processes) => {
    const { reached, release } = processes.toModel.hold('request', building);
    return async () => {
      await reached;
      await processes.kill(...names);
      release();
      if (names.includes('github')) await processes.startGitHub();
      await processes.startApp();
    };
  };
}

/** The App is away when GitHub tells it that the VERIFY run has ended. */
const awayAtTheEndOfVerify: Crash = (processes) => async () => {
  await jobFetched(processes, 'loopwright-verify');
  await processes.kill('app');
  await lost(processes, 'workflow_run.completed', 'loopwright-verify');
  await processes.startApp();
};

/** The App dies when its comment can be seen, and is away when a person answers to it. */
function awayWhenAnswered(marker: string, answer: string): Crash {
  return (processes) => {
    const { reached, release } = processes.toGitHub.hold('answer', writes(marker));
    return async () => {
      await reached;
      await processes.kill('app');
      await lost(processes, 'issue_comment.created', JSON.stringify(answer));
      await processes.startApp();
      release();
    };
  };
}

describe.concurrent('after kill -9 and a restart everything is as without', () => {
  let baseline: Promise<Remains>;
  beforeAll(() => {
    baseline = live();
    baseline.catch(() => undefined);
  });
  afterAll(async () => {
    await baseline.catch(() => undefined);
  });

  test('a loop that nobody kills succeeds, and shows each thing once', { timeout: TIMEOUT_MS }, async () => {
    const { status, visible, serials, cancelled } = await baseline;
    expect(status).toBe('succeeded');
    expect(repeated(visible)).toEqual([]);
    expect(repeated(serials)).toEqual([]);
    expect(cancelled).toBe(0);
  });

  test('the App, while the model thinks and whenever it alone made something', { timeout: TIMEOUT_MS }, async () => {
    const remains = await live(
      thinking(answers('plan')),
      deafTo(opensPull),
      deafTo(lands),
      deafTo(promotes),
      deafTo(readies),
    );
    expect(remains).toEqual(await baseline);
  });

  test('the App, after it dispatched, during BUILD, and when VERIFY ends', { timeout: TIMEOUT_MS }, async () => {
    const remains = await live(deafTo(dispatches), duringBuild('app'), awayAtTheEndOfVerify);
    expect(remains).toEqual(await baseline);
  });

  test('the App, before people answer and approve', { timeout: TIMEOUT_MS }, async () => {
    const remains = await live(awayWhenAnswered('ask/', '/answer 1a 2a'), awayWhenAnswered('packet/', '/approve'));
    expect(remains).toEqual(await baseline);
  });

  test('everything during BUILD: the run is cancelled, begins again and costs no iteration', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { visible, serials, iterations, cancelled, ...rest } = await live(duringBuild('app', 'github'));
    const without = await baseline;
    expect(rest).toEqual({ status: without.status, phases: without.phases, codeTree: without.codeTree });
    expect(cancelled).toBe(1);
    expect(iterations).toBe(without.iterations);
    expect(repeated(serials)).toEqual([]);
    expect(serials).toHaveLength(without.serials.length + 1);
    expect(repeated(visible)).toEqual([]);
    const died = visible.filter((thing) => thing.startsWith('run loopwright-build') && thing.endsWith('cancelled'));
    expect(died).toHaveLength(1);
    expect(kinds(visible.filter((thing) => !died.includes(thing)))).toEqual(kinds(without.visible));
  });
});

function repeated(things: readonly (string | number)[]): readonly (string | number)[] {
  return things.filter((thing, index) => things.indexOf(thing) !== index);
}

/** Without the serials of entries, which a cancelled entry moves on. */
function kinds(visible: readonly string[]): readonly string[] {
  return visible.map((thing) => thing.replace(/entry \d+/, 'entry n').replace(/(packet\/\d+)\/\d+/, '$1/n')).sort();
}
