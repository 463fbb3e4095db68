import { openEngine } from '../../src/adapters/engine.ts';
import { MEMORY } from '../prepared.ts';
import { describeStore } from './store-behaviour.ts';

describeStore('PGlite in memory', () => openEngine({ url: MEMORY }));
