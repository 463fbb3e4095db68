/** `registry-main.ts PORT PUBLIC_URL FILE`: a registry as a process of its own, with the packages of a JSON file; says when it listens, and then what it is asked for. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { startRegistry } from './registry.ts';

const [port, publicUrl = '', file = ''] = process.argv.slice(2);
const packages = z.record(z.string(), z.object({ index: z.string() })).parse(JSON.parse(await readFile(file, 'utf8')));
await startRegistry(packages, { port: Number(port), publicUrl });
process.stdout.write('listening\n');
