/** SHIP: release notes, the evidence, and who moves the branch. */

import { readConfig } from '../context/repository-config.ts';
import { type Versions, versionsOf } from '../context/versions.ts';
import { promotionOf } from '../context/workflows.ts';
import { list, sections, table } from '../documents/markdown.ts';
import { storedRemarks } from '../documents/review-remarks.ts';
import { storedVerifyReport } from '../documents/verify-report.ts';
import { ConfigError } from '../errors.ts';
import type { Release } from '../loop/answers.ts';
import type { VerifyReport } from '../loop/brief.ts';
import type { Event } from '../loop/event.ts';
import { evidenceDocument } from '../render/evidence.ts';
import { type Drafting, draftedEvent, storeDocuments } from './drafting.ts';
import { documentBlocks, scanOf } from './material.ts';
import type { Block } from './prompt.ts';

/** One call. The evidence is read from the stored report of VERIFY, never from the model. */
export async function ship(drafting: Drafting): Promise<Event> {
  const { loop, ports } = drafting;
  const report = await reportOf(drafting);
  const remarks = await storedRemarks(loop, ports.store);
  const blocks = await documentBlocks(loop, ports, ['requirement.md', 'spec.md', 'plan.md']);
  const versions = await versionsOf(loop, ports);
  const evidence = { name: 'evidence.md', source: 'the report of VERIFY', text: evidenceDocument(report, remarks) };
  const release = await drafting.ask(
    'release',
    'Write what people read before they merge this.',
    [...blocks, evidence, versionBlock(versions)],
    ({ tag }) =>
      versions.next.includes(tag) ? [] : [`tag: ${tag} is no next version; take one of ${versions.next.join(', ')}.`],
  );
  const documents = await storeDocuments(drafting, {
    'release.md': releaseDocument(release),
    'evidence.md': evidence.text,
  });
  const { promotion: configured } = await readConfig(loop, ports);
  const promotion = promotionOf(configured, (await scanOf(loop, ports)).workflows, ports.promotesBy);
  return draftedEvent(drafting, { documents, measurements: [], defects: [] }, { promotion: { ...promotion } });
}

function versionBlock({ current, found, next }: Versions): Block {
  const now = current === undefined ? 'No version is stated anywhere.' : `The version is ${current}.`;
  const lines = [...found, now, `The next one is one of ${next.join(', ')}.`];
  return { name: 'version', source: 'manifests and tags of the repository', text: lines.join('\n') };
}

async function reportOf({ loop, ports }: Drafting): Promise<VerifyReport> {
  const report = await storedVerifyReport(loop, ports.store);
  if (report === undefined)
    throw new ConfigError('There is no report of VERIFY, so there is no evidence to ship; `/rerun BUILD` makes it.');
  return report;
}

function releaseDocument({ title, notes, checklist, rollback, tag }: Release): string {
  return sections(title, [
    ['Notes', list(notes, '')],
    [
      'Before and after the merge',
      table(
        ['what', 'who'],
        checklist.map(({ item, owner }) => [item, owner]),
      ),
    ],
    ['Rollback', rollback],
    ['Proposed tag', `\`${tag}\`. Nobody sets it automatically.`],
  ]);
}
