/** The issuer of identity tokens, as GitHub Enterprise Server has it below `/_services`: https://docs.github.com/enterprise-server/actions/concepts/security/openid-connect */
import { Hono } from 'hono';
import type { Host } from '../host.ts';
import { HttpError } from '../http-error.ts';
import { CLAIMS, issuerOf } from './claims.ts';
import { identityOf, REQUESTS_PATH } from './identity-requests.ts';

/** The routes, with their whole paths. */
export function issuerRoutes(host: Host): Hono {
  const app = new Hono();
  app.get('/_services/token/.well-known/openid-configuration', ({ json }) => json(configurationOf(host)));
  app.get('/_services/token/.well-known/jwks', ({ json }) => json({ keys: host.signingKeys.published() }));
  app.get(REQUESTS_PATH, ({ req, json }) => {
    const authorization = req.header('authorization');
    const claims = identityOf(host, { ...req.param(), authorization, audience: req.query('audience') });
    const value = host.signingKeys.signed(claims);
    return json({ count: value.length, value });
  });
  app.onError((error) => {
    if (!(error instanceof HttpError)) throw error;
    return Response.json({ message: error.message }, { status: error.status });
  });
  return app;
}

/** https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata */
function configurationOf(host: Host) {
  const issuer = issuerOf(host);
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks`,
    subject_types_supported: ['public', 'pairwise'],
    response_types_supported: ['id_token'],
    claims_supported: CLAIMS,
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid'],
  };
}
