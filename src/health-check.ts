/** What the image's HEALTHCHECK runs: asks the App beside it whether it can work. A program of its own, because it starts twice a minute and the whole one takes a second. */
import { addressEnvironment } from './settings/env.ts';

const PATIENCE_MS = 5000;
/** Addresses that are listened on and not asked, and what is asked instead. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

const { HOST, PORT } = addressEnvironment();
const told = await ask(`http://${EVERYWHERE[HOST] ?? HOST}:${PORT}/readyz`);
process.stdout.write(`${told.text}\n`);
process.exitCode = told.ok ? 0 : 1;

async function ask(url: string): Promise<{ readonly ok: boolean; readonly text: string }> {
  try {
    const response = await globalThis.fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return { ok: response.ok, text: await response.text() };
  } catch (error) {
    return {
      ok: false,
      text: `${url} does not answer: ${String(error instanceof Error ? (error.cause ?? error) : error)}`,
    };
  }
}
