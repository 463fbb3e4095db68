/** Takes every look at once, and tells what came of each; nothing of what it tells holds a secret. */
import { ownSecrets } from '../guard/own-secrets.ts';
import { withoutSecrets } from '../guard/secrets.ts';
import type { Examined } from '../settings/env.ts';
import { appLooks } from './app-looks.ts';
import { fileLooks } from './files-looks.ts';
import { failedLook, type Row, type State, shortened } from './finding.ts';
import { gatewayLooks } from './gateway-looks.ts';
import type { Look } from './look.ts';
import { machineLooks } from './machine-looks.ts';
import { modelLooks } from './model-looks.ts';
import { createPatient, type Patient, type PatientOptions } from './patient.ts';
import { repositoryLooks } from './repository-looks.ts';
import { ruleLooks } from './rules-looks.ts';
import { settingsLooks, settingsRows } from './settings-looks.ts';
import { webhookLooks } from './webhook-looks.ts';

export interface Report {
  readonly rows: readonly Row[];
  readonly counts: Readonly<Record<State, number>>;
}

const LOOKS: readonly Look[] = [
  ...settingsLooks,
  ...appLooks,
  ...webhookLooks,
  ...gatewayLooks,
  ...modelLooks,
  ...machineLooks,
];
const LOOKS_AT_REPOSITORY: readonly Look[] = [...repositoryLooks, ...fileLooks, ...ruleLooks];

/** Reads only. Where something cannot be seen, that is told; nothing is thrown. */
export async function examine(options: PatientOptions): Promise<Report> {
  const patient = createPatient(options);
  const looks = options.place === undefined ? LOOKS : [...LOOKS, ...LOOKS_AT_REPOSITORY];
  const looked = await Promise.all(looks.map((look) => rowOf(look, patient)));
  const clean = cleaning(options.environment);
  const rows = [...settingsRows(options.environment), ...looked.flat()].map((row) => ({
    ...row,
    sentence: clean(row.sentence),
    ...(row.remedy === undefined ? {} : { remedy: clean(row.remedy) }),
  }));
  const countOf = (state: State): number => rows.filter((row) => row.state === state).length;
  return {
    rows,
    counts: { ok: countOf('ok'), missing: countOf('missing'), wrong: countOf('wrong'), unknown: countOf('unknown') },
  };
}

async function rowOf({ area, subject, look }: Look, patient: Patient): Promise<readonly Row[]> {
  try {
    const finding = await look(patient);
    return finding === undefined ? [] : [{ area, subject, ...finding }];
  } catch (error) {
    return [{ area, subject, ...failedLook(error) }];
  }
}

function cleaning({ hidden, addresses }: Examined): (text: string) => string {
  const inAddresses = ownSecrets({ privateKey: '', webhookSecret: '', modelKey: '', addresses });
  const secrets = [...hidden, ...inAddresses];
  return (text) => shortened(withoutSecrets(text, secrets));
}
