import { openEngine } from '../../src/adapters/database/database.ts';
import { MEMORY } from '../prepared.ts';
import { describeQueue } from './queue-behaviour.ts';

describeQueue('PGlite in memory', () => openEngine({ url: MEMORY }));
