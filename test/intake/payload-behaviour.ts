/** What must hold for every payload that GitHub's own schemas allow. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloadOf, WEBHOOKS } from '../../src/intake/payloads.ts';
import { deliveryOf } from '../../src/intake/reduce.ts';
import { gitHubContract } from '../../src/referee/contract.ts';
import { fieldsOf } from '../../src/referee/json.ts';
import { AT, type Door } from './door.ts';
import { arbitraryOf } from './github-arbitrary.ts';

const contract = gitHubContract();

/** The webhooks that the App listens to, as far as GitHub describes them. */
export const DESCRIBED = WEBHOOKS.flatMap((webhook) => {
  const [name = '', action] = webhook.split('.');
  const schema = contract.webhookSchema(name, action);
  return schema === undefined ? [] : [{ webhook, name, action, schema }];
});

type Runs = Pick<fc.Parameters<unknown>, 'numRuns' | 'seed'>;

export interface PayloadRuns {
  readonly openDoor: () => Promise<Door>;
  /** How many payloads are read, and how many are taken in, each by a database. */
  readonly read: Runs;
  readonly takenIn: Runs;
}

export function describePayloads({ openDoor, read: readRuns, takenIn }: PayloadRuns): void {
  describe.each(DESCRIBED)("$webhook as GitHub's schema allows it", ({ name, action, schema }) => {
    const payload = fc.tuple(arbitraryOf(contract, schema), fc.integer({ min: 0, max: 9 })).map(([made, without]) => ({
      installation: { id: 1 },
      ...fieldsOf(made),
      ...(action === undefined ? {} : { action }),
      ...(without === 0 ? { installation: undefined } : {}),
      ...(without === 1 ? { sender: null } : {}),
    }));

    it('is a payload or a refusal in one line, and parsed again it is the same', () => {
      fc.assert(
        fc.property(payload, (value) => {
          const read = payloadOf(name, value);
          expect(read).toBeDefined();
          if (read !== undefined && 'refusal' in read) expect(read.refusal).toMatch(/^[^\n]+$/);
          else expect(payloadOf(name, JSON.parse(JSON.stringify(read)))).toEqual(read);
        }),
        readRuns,
      );
    });

    it('is taken in or left alone with a reason, and never tried again for what it says', async () => {
      const door = await openDoor();
      const reasons: (string | undefined)[] = [];
      await fc.assert(
        fc.asyncProperty(payload, async (value) => {
          const sent = JSON.parse(JSON.stringify(value));
          const kept = deliveryOf({ id: 'guid', name, payload: sent, receivedAt: AT }, door.ports.self);
          // What is not kept must mean nothing, or it is lost.
          if (kept.payload === undefined) expect(await door.said(name, sent)).toEqual(kept.note ?? []);
          reasons.push(await door.deliver(name, sent));
        }),
        // Hundreds of tries at a database would look for a smaller payload that fails, and the first one tells enough.
        { ...takenIn, endOnFailure: true },
      );
      expect(reasons).toContain(undefined);
    });
  });
}
