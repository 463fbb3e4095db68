/** The App's log: one pino logger, to standard error, so that standard output stays for people and programs. */
import { destination, type Logger, pino } from 'pino';

export function createLog(level: string): Logger {
  return pino({ name: 'loopwright', level }, destination({ dest: 2, sync: true }));
}
