/** The manifest from which an App is registered: https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest#github-app-manifest-parameters */
import { z } from 'zod';
import { gitHubContract } from '../../referee/contract.ts';
import { fieldsOf, listOf } from '../../referee/json.ts';

const sentence = (kind: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is missing' : `must be ${kind}`),
});
const text = z.string(sentence('a text'));
const address = text.refine(isWeb, 'must be an http or https address');

/** What of a manifest is obeyed or shown; the rest of it is dropped. */
export const manifestSchema = z.object(
  {
    name: text.trim().min(1, 'is empty').max(34, 'is longer than 34 characters'),
    url: address,
    redirect_url: address,
    description: text.optional(),
    setup_url: address.optional(),
    public: z.boolean(sentence('true or false')).optional(),
    hook_attributes: z
      .object({ url: address, active: z.boolean(sentence('true or false')).default(true) }, sentence('an object'))
      .optional(),
    default_permissions: z.record(z.string(), text, sentence('an object')).default({}),
    default_events: z.array(text, sentence('a list')).default([]),
  },
  sentence('an object'),
);
export type Manifest = z.infer<typeof manifestSchema>;

/** What is wrong with a manifest, as one sentence. */
export class ManifestError extends Error {
  override name = 'ManifestError';
}

/** The manifest that a form sends. @throws ManifestError */
export function readManifest(json: string): Manifest {
  const parsed = manifestSchema.safeParse(jsonOf(json));
  if (!parsed.success) throw new ManifestError(sentenceOf(parsed.error));
  for (const [name, level] of Object.entries(parsed.data.default_permissions)) judgePermission(name, level);
  return parsed.data;
}

function jsonOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ManifestError(`The manifest is no JSON: ${error.message}.`);
  }
}

function sentenceOf({ issues: [issue] }: z.ZodError): string {
  const place = issue?.path.join('.') ?? '';
  return `${place === '' ? 'The manifest' : `The manifest's ${place}`} ${issue?.message ?? 'cannot be read'}.`;
}

/** GitHub's own list of permissions is that of its description. @throws ManifestError */
function judgePermission(name: string, level: string): void {
  const { properties } = gitHubContract().resolve({ $ref: '#/components/schemas/app-permissions' });
  const known = fieldsOf(properties);
  if (!Object.hasOwn(known, name))
    throw new ManifestError(`The manifest asks for the permission "${name}", which GitHub does not have.`);
  const levels = listOf(fieldsOf(known[name]).enum);
  if (!levels.includes(level))
    throw new ManifestError(
      `The manifest asks for the permission "${name}" at "${level}", and it can be ${levels.join(' or ')}.`,
    );
}

/** Its origin goes into the policy of a page, where a semicolon or a comma in it would mean something. */
function isWeb(value: string): boolean {
  return URL.canParse(value) && /^https?:\/\/[\w.:[\]-]+$/.test(new URL(value).origin);
}
