/** Hosts workflow runs: placeholder while the slice grows. */

import type { Host } from './host.ts';

export async function cancelLeftovers(_host: Host): Promise<void> {}
export async function stopRuns(_host: Host): Promise<void> {}
