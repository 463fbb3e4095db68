import { openEngine } from '../../src/adapters/database/database.ts';
import { MEMORY } from '../prepared.ts';
import { describeCalls } from './calls-behaviour.ts';
import { databaseStage } from './database-stage.ts';
import { describeLimits } from './limits-behaviour.ts';
import { describeOnboardings } from './onboardings-behaviour.ts';
import { describeRows } from './rows-behaviour.ts';
import { describeStore } from './store-behaviour.ts';

const open = () => openEngine({ url: MEMORY });
describeCalls('on PGlite in memory', async () => databaseStage(await open()));
describeOnboardings('on PGlite in memory', async () => databaseStage(await open()));
describeLimits('on PGlite in memory', async () => databaseStage(await open()));
describeStore('on PGlite in memory', async () => databaseStage(await open()));
describeRows('PGlite in memory', open);
