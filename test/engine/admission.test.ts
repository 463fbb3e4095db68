import { openEngine } from '../../src/adapters/database.ts';
import { describeAdmission } from './admission-behaviour.ts';

describeAdmission('PGlite in memory', () => openEngine({ url: 'memory:' }));
