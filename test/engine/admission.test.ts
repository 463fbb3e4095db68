import { openEngine } from '../../src/adapters/database/database.ts';
import { MEMORY } from '../prepared.ts';
import { describeAdmission } from './admission-behaviour.ts';

describeAdmission('PGlite in memory', () => openEngine({ url: MEMORY }));
