import { openEngine } from '../../src/adapters/engine.ts';
import { describeStore } from './store-behaviour.ts';

describeStore('PGlite in memory', () => openEngine({ url: 'memory:' }));
