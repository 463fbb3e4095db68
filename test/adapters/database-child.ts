/**
 * A process to be killed: opens the database, says what it does line by line, and never ends by itself.
 * save: saves one loop over and over, each save with log and wake · work: takes one item and holds it · open: only opens.
 */
import { pino } from 'pino';
import { openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createQueue } from '../../src/adapters/queue.ts';
import { idOf } from '../../src/loop/terms.ts';
import { elapsed, loopOf, saveOf } from './loops.ts';

const [url = '', mode = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const engine = await openEngine({ url });
say('open');
setInterval(() => {}, 60_000);

if (mode === 'work') {
  await createQueue(engine, { concurrency: 1, log: pino({ level: 'silent' }) }).start(async (item) => {
    say(`holds ${JSON.stringify(item)}`);
    await new Promise(() => {});
  });
}

if (mode === 'save') {
  const store = createStore(engine);
  const loop = loopOf();
  const stored = await store.load(idOf(loop.ref));
  for (let version = stored?.version ?? 0; ; version += 1) {
    await store.save(saveOf({ ...loop, seq: version + 1 }, version, { event: elapsed(version + 1), wakes: ['work'] }));
    say(`saved ${version + 1}`);
  }
}
