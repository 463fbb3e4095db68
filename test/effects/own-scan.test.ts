/** What the App finds itself in what a job hands over, whatever the job says of it. */
import { describe, expect, it } from 'vitest';
import { withOwnScan } from '../../src/effects/own-scan.ts';
import type { BuildReport, VerifyReport } from '../../src/loop/brief.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { doors } from '../intake/door.ts';
import { building, SHA } from '../loop/stands.ts';
import { RAW } from '../loop/world.ts';

const openDoor = doors();
const RISKY = 'export const run = (text) => eval(text);\n';
const PLAIN = 'export const run = (text) => text;\n';

const common = {
  version: 2,
  loop: 'acme/shop#12',
  entry: 5,
  candidate: SHA,
  base: SHA,
  sandbox: 'bubblewrap',
  measurements: [{ name: 'security_findings', value: 0, unit: 'count', source: 'the job', raw: RAW }],
  defects: [],
  calls: [],
  failure: null,
  durationMs: 1,
} as const;

function buildOf(text: string, over: Partial<BuildReport> = {}): BuildReport {
  const content = Buffer.from(text).toString('base64');
  const changes = [{ path: 'src/run.js', mode: '100644', content } as const];
  return {
    kind: 'build',
    ...common,
    measurements: [...common.measurements],
    defects: [],
    calls: [],
    changes,
    tests: null,
    unfinished: [],
    ...over,
  };
}

/** Judges a report of a loop whose candidate lies on a commit that holds `before`. */
async function judged(
  report: BuildReport | VerifyReport,
  { before = '', build }: { before?: string; build?: BuildReport } = {},
) {
  const { ports } = await openDoor();
  const workspace = { ...ports.workspace, read: async () => before };
  const loop = asReviewed(building());
  const reports = build === undefined ? {} : { build: await ports.store.putBlob(JSON.stringify(build)) };
  return withOwnScan(report, { ...loop, built: { ...loop.built, reports } }, { ...ports, workspace });
}
const securityOf = ({ measurements }: { readonly measurements: BuildReport['measurements'] }) => measurements[0]?.value;

describe('a report', () => {
  it('that is silent about what its change adds is judged by what the App finds', async () => {
    const report = await judged(buildOf(RISKY));
    expect(report.measurements[0]).toMatchObject({ value: 1, source: expect.stringContaining("App's own scan") });
    expect(report.measurements[0]?.raw).not.toBe(RAW);
    expect(report.defects).toMatchObject([{ rule: 'eval', file: 'src/run.js', line: 1, severity: 'blocker' }]);
  });

  it('that tells as much is left as it is', async () => {
    const told = { ...common.measurements[0], value: 1 };
    const report = buildOf(RISKY, { measurements: [told] });
    expect(await judged(report)).toBe(report);
    expect(securityOf(await judged(buildOf(PLAIN)))).toBe(0);
  });

  it('is not blamed for what was there before', async () => {
    expect(securityOf(await judged(buildOf(`${RISKY}${PLAIN}`), { before: RISKY }))).toBe(0);
  });

  it('of VERIFY is judged by what build and seed brought onto the candidate', async () => {
    const verify: VerifyReport = {
      kind: 'verify',
      ...common,
      measurements: [...common.measurements],
      defects: [],
      calls: [],
      evidence: [],
      acceptance: [],
    };
    expect(securityOf(await judged(verify, { build: buildOf(RISKY) }))).toBe(1);
  });

  it('is not blamed for the bytes of an image', async () => {
    expect(securityOf(await judged(buildOf(`\u0000${RISKY}`)))).toBe(0);
  });
});
