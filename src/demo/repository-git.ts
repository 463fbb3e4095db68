/** Git in the demo's repositories, away from this machine's configuration, as one of their people. */
import { type SimpleGit, simpleGit } from 'simple-git';
import { childEnvironment } from '../settings/env.ts';

/** Git in a directory; what it commits is Maria's. */
export function gitOfMaria(directory: string, email: string): SimpleGit {
  return simpleGit({
    baseDir: directory,
    // So that the machine's own configuration stays away, and dates are the same everywhere; what else is unsafe stays refused.
    unsafe: { allowUnsafeConfigPaths: true },
    allowEnvironment: ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM', 'GIT_AUTHOR_DATE', 'GIT_COMMITTER_DATE'],
    config: ['user.name=Maria', `user.email=${email}`, 'commit.gpgsign=false'],
  }).env({ ...childEnvironment(), GIT_CONFIG_GLOBAL: '/dev/null' });
}
