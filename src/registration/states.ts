/** Which answers of GitHub are awaited: each by a state that nobody can guess, for the browser that asked, and once. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type Standing = 'awaited' | 'foreign' | 'spent';

export interface States {
  /** What is sent along to GitHub, which hands it back. */
  readonly begin: (browser: string) => string;
  readonly standing: (state: string, browser: string | undefined) => Standing;
  /** What came with this state has led to something, or never will. */
  readonly spend: (state: string) => void;
}

/** What a browser is known by, in a cookie. */
export function newBrowser(): string {
  return randomBytes(24).toString('base64url');
}

/** A state is a number used once and its seal, which is made with the browser's: what was begun need not be kept, and never runs full. */
export function createStates(): States {
  const key = randomBytes(32);
  const spent = new Set<string>();
  const sealOf = (nonce: string, browser: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([nonce, browser]))
      .digest('base64url');
  return {
    begin(browser) {
      const nonce = newBrowser();
      return `${nonce}.${sealOf(nonce, browser)}`;
    },
    standing(state, browser) {
      const [nonce = '', seal = '', ...more] = state.split('.');
      if (more.length > 0 || browser === undefined || !isSame(seal, sealOf(nonce, browser))) return 'foreign';
      return spent.has(state) ? 'spent' : 'awaited';
    },
    spend: (state) => void spent.add(state),
  };
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
