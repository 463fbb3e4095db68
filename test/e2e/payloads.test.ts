/** Many more of the payloads that GitHub's own schemas allow than `npm test` tries, others each time. */
import { doors } from '../intake/door.ts';
import { describePayloads } from '../intake/payload-behaviour.ts';

describePayloads({ openDoor: doors(), read: { numRuns: 1000 }, takenIn: { numRuns: 200 } });
