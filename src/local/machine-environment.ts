/** The only reader of `process.env` in the embedded GitHub, which could be a package of its own and so reads no settings of the App. */
import { join } from 'node:path';

/** What a process that it starts may see of the machine: where programs are, nothing else. */
export function machineEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}

/** How this machine reaches a network: proxies, and whose certificates it trusts beside the usual ones. */
const NETWORK =
  /^(?:(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR)|GIT_SSL_CA(?:INFO|PATH))$/i;

/** What a runner on this machine has that its owner set up: the own programs, the way to a registry, and what was fetched from there before. */
export function runnerEnvironment(): Record<string, string> {
  const network = Object.entries(process.env).flatMap(([name, value]) =>
    NETWORK.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  const { PATH = '', NO_PROXY = '', no_proxy = NO_PROXY } = process.env;
  // The server itself is on this machine.
  const direct = [no_proxy, '127.0.0.1', 'localhost'].filter(Boolean).join(',');
  return { PATH, ...caches(), ...Object.fromEntries(network), NO_PROXY: direct, no_proxy: direct };
}

/** Steps have an empty home, in which no package manager finds them. */
function caches(): Record<string, string> {
  const { HOME, XDG_CACHE_HOME, XDG_DATA_HOME, npm_config_cache } = process.env;
  if (HOME === undefined) return {};
  return {
    XDG_CACHE_HOME: XDG_CACHE_HOME ?? join(HOME, '.cache'),
    XDG_DATA_HOME: XDG_DATA_HOME ?? join(HOME, '.local', 'share'),
    npm_config_cache: npm_config_cache ?? join(HOME, '.npm'),
  };
}
