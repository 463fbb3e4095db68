/** `registry-main.ts PORT PUBLIC_URL FILE LOG`: a registry as a process of its own, with the packages of a JSON file; says when it listens, and logs the paths that it is asked for. */
import { appendFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { startRegistry } from './registry.ts';

const [port, publicUrl = '', file = '', log = ''] = process.argv.slice(2);
const packages = z.record(z.string(), z.object({ index: z.string() })).parse(JSON.parse(await readFile(file, 'utf8')));
await writeFile(log, '');
await startRegistry(packages, { port: Number(port), publicUrl, tell: (path) => appendFileSync(log, `${path}\n`) });
process.stdout.write('listening\n');
