/** The keys that sign what the server says of jobs: RS256, made by this process, one in use and those whose tokens may still be shown. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Clock } from '../clock.ts';

/** As the JWKS has it: https://www.rfc-editor.org/rfc/rfc7517 */
export interface PublicKey {
  readonly kty: 'RSA';
  readonly alg: 'RS256';
  readonly use: 'sig';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

/** `exp` in seconds since 1970. */
export interface Expiring {
  readonly exp: number;
}

export interface SigningKeys {
  /** A JWT of the claims, by the key in use. */
  readonly signed: (claims: Expiring) => string;
  /** The key in use first; an older one for as long as a token that it signed has not expired. */
  readonly published: () => readonly PublicKey[];
  /** Signs with a new key from now on. */
  readonly rotate: () => PublicKey;
}

const KEY_LIFETIME_SECONDS = 24 * 3600;

interface Key {
  readonly privateKey: KeyObject;
  readonly published: PublicKey;
  readonly madeAt: number;
  /** When the last token that it signed expires. */
  signedUntil: number;
}

/** Keys that are rotated by the day; the first is made when it is first needed. */
export function createSigningKeys({ now }: Clock): SigningKeys {
  let keys: readonly Key[] = [];
  const seconds = (): number => now().getTime() / 1000;
  const rotate = (): Key => {
    const key = createKey(seconds());
    keys = [key, ...keys];
    return key;
  };
  const inUse = (): Key => {
    const [key] = keys;
    return key !== undefined && seconds() - key.madeAt < KEY_LIFETIME_SECONDS ? key : rotate();
  };
  return {
    rotate: () => rotate().published,
    published: () => {
      const current = inUse();
      keys = keys.filter((key) => key === current || key.signedUntil > seconds());
      return keys.map(({ published }) => published);
    },
    signed: (claims) => {
      const key = inUse();
      key.signedUntil = Math.max(key.signedUntil, claims.exp);
      return jwtOf(key, claims);
    },
  };
}

function createKey(madeAt: number): Key {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  // The thumbprint: https://www.rfc-editor.org/rfc/rfc7638
  const kid = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  return { privateKey, published: { kty: 'RSA', alg: 'RS256', use: 'sig', kid, n, e }, madeAt, signedUntil: 0 };
}

function jwtOf({ privateKey, published }: Key, claims: Expiring): string {
  const header = { typ: 'JWT', alg: published.alg, kid: published.kid };
  const [head, body] = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const text = `${head}.${body}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}
