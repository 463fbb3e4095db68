/** Settings of the model gateway: who vouches for jobs, and the endpoints beside LLM_BASE_URL that they may ask. */
import { z } from 'zod';

const address = z
  .url({ protocol: /^https?$/, error: 'write an address that begins with http:// or https://, or leave it out' })
  .refine((written) => !URL.parse(written)?.username && !URL.parse(written)?.password, {
    error: 'an address with a user or password in it reaches no model; name the key in the variable for it',
  })
  .optional();
const name = z.string().min(1, { error: 'write the name of the model, or leave it out' }).optional();
const key = z.string().min(1, { error: 'write the key, or leave it out' }).optional();

export const gatewaySettings = z.object({
  /** As the tokens of jobs name it; without, that of the GitHub at GITHUB_API_URL. An enterprise may have one of its own. */
  OIDC_ISSUER: z
    .url({ error: 'write the address that stands as `iss` in the tokens of jobs, or leave it out' })
    .optional(),
  /** For agents that speak OpenAI's responses, up to before `/responses`. */
  LLM_RESPONSES_BASE_URL: address,
  /** LLM_MODEL unless given. What it takes is charged at LLM_PRICE, so that it may be no dearer one. */
  LLM_RESPONSES_MODEL: name,
  LLM_RESPONSES_API_KEY: key,
  /** For agents that speak Anthropic's messages, up to before `/v1/messages`. */
  LLM_ANTHROPIC_BASE_URL: address,
  LLM_ANTHROPIC_MODEL: name,
  LLM_ANTHROPIC_API_KEY: key,
});
export type GatewaySettings = z.infer<typeof gatewaySettings>;

/** Of a GitHub, by its API's address: https://docs.github.com/en/enterprise-server/admin/configuring-settings/configuring-openid-connect */
export function issuerOf(apiUrl: string): string {
  const { origin, hostname } = new URL(apiUrl);
  if (hostname === 'api.github.com') return 'https://token.actions.githubusercontent.com';
  const [, tenant] = /^api\.([\w-]+\.ghe\.com)$/.exec(hostname) ?? [];
  return tenant === undefined ? `${origin}/_services/token` : `https://token.actions.${tenant}`;
}
