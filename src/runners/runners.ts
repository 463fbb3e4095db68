/** The test runners by the name that a configuration gives them. */
import type { Commands } from '../loop/brief.ts';
import { nodeTest } from './node-test.ts';
import type { Runner } from './runner.ts';
import { unittest } from './unittest.ts';

export const RUNNERS: Readonly<Record<Commands['runner'], Runner>> = { 'node-test': nodeTest, unittest };
