/** The package's own guardrails, as the App reads them. */
import { readGuardrails } from '../src/settings/guardrails.ts';
import { packageFile } from '../src/settings/package-root.ts';

export const GUARDRAILS = await readGuardrails(packageFile('config', 'guardrails.yaml'));
