import { openEngine } from '../../src/adapters/engine.ts';
import { describeQueue } from './queue-behaviour.ts';

describeQueue('PGlite in memory', () => openEngine({ url: 'memory:' }));
