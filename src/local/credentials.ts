/** The App's credentials, made at the first start and kept in `app.json`. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const credentialsSchema = z.object({
  appId: z.number(),
  slug: z.literal('loopwright'),
  /** PKCS#1 PEM, as GitHub hands it out. */
  privateKey: z.string(),
  webhookSecret: z.string(),
  installationId: z.number(),
});

export type Credentials = z.infer<typeof credentialsSchema>;

/** Reads `app.json` in the directory; writes it (mode 0600) when it is missing. */
export function loadCredentials(directory: string): Credentials {
  const file = join(directory, 'app.json');
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, `${JSON.stringify(createCredentials(), undefined, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return credentialsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

function createCredentials(): Credentials {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return {
    appId: 1001,
    slug: 'loopwright',
    privateKey,
    webhookSecret: randomBytes(24).toString('hex'),
    installationId: 5001,
  };
}
