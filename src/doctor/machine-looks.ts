/** Looks at this machine: where the App keeps what it knows, and whether commands could be kept away from the rest. */
import type { DatabaseFacts } from '../adapters/database/database-look.ts';
import { type Finding, missing, NotLookedError, needed, ok, unknown, wrong } from './finding.ts';
import { looksAt } from './look.ts';
import { isThisMachine } from './settings-looks.ts';

export const machineLooks = looksAt('machine', {
  database: async (patient) => databaseFinding(await patient.database()),
  schema: async (patient) => schemaFinding(await patient.database()),
  sandbox: async ({ sandboxProblem, environment: { app } }) => {
    if (app.LOOPWRIGHT_SCRIPTED === true) return ok('Authored answers need none.');
    const problem = await sandboxProblem();
    if (problem === undefined) return ok('Commands can be kept away from this machine.');
    const remedy = 'On Debian: `sudo apt-get install -y bubblewrap socat ripgrep`.';
    if (isThisMachine(new URL(needed(app.GITHUB_API_URL, 'GITHUB_API_URL')).hostname)) return missing(problem, remedy);
    return unknown(
      `Not on this machine, which matters where jobs or \`prove\` run here; what runners have cannot be seen from here. ${problem}`,
      remedy,
    );
  },
});

function databaseFinding(facts: DatabaseFacts): Finding {
  switch (facts.type) {
    case 'no address':
      return wrong(
        'DATABASE_URL is neither a directory nor a postgres:// address.',
        'Write one of the two, or unset it.',
      );
    case 'unreachable':
      return facts.isCertain
        ? wrong(`The database cannot be used: ${facts.problem}.`, 'Correct DATABASE_URL, or start the database.')
        : unknown(`The database gave no answer: ${facts.problem}.`, 'See whether it can be reached from here.');
    case 'in use':
      return unknown(
        `${facts.directory} is in use, most likely by the App; nobody else can look into it meanwhile.`,
        'Stop the App to have it looked at.',
      );
    case 'other version':
      return wrong(
        `The database in ${facts.directory} was made by Postgres ${facts.major}, and this version needs ${facts.needed}.`,
        'Start the version that made it and move to a PostgreSQL server, or name a new directory.',
      );
    case 'new':
    case 'directory':
    case 'server':
      return facts.isWritable ? ok(placeText(facts)) : unwritable(facts);
  }
}

type Place = Extract<DatabaseFacts, { readonly isWritable: boolean }>;

function placeText(facts: Place): string {
  if (facts.type === 'server') return `PostgreSQL ${facts.version} answers, and the App may write.`;
  return facts.type === 'new'
    ? `Nothing is in ${facts.directory} yet; the first start makes the database.`
    : `The embedded database is in ${facts.directory}, which can be written and is in no use.`;
}

function unwritable(facts: Place): Finding {
  return facts.type === 'server'
    ? wrong(
        `PostgreSQL ${facts.version} answers, and the App may not write: a replica, or a user without rights.`,
        'Name the primary, and a user that may create tables.',
      )
    : wrong(
        `${facts.directory} cannot be written.`,
        'Give whoever runs the App write permission, or name another DATABASE_URL.',
      );
}

function schemaFinding(facts: DatabaseFacts): Finding | undefined {
  if (facts.type === 'new') return undefined;
  if (facts.type === 'directory')
    return unknown(
      'The schema of an embedded database is looked at by `start` only, which brings it up to date.',
      'Start the App.',
    );
  if (facts.type !== 'server') throw new NotLookedError('the database was not', 'Mend that first.');
  const { applied, known } = facts;
  const newer = applied.filter((number) => !known.includes(number));
  if (newer.length > 0)
    return wrong(
      `It has migration ${newer.join(', ')}, which this version does not know: a newer Loopwright wrote it.`,
      'Start that version, or restore a backup from before.',
    );
  const pending = known.length - applied.length;
  return ok(
    pending === 0
      ? 'Its schema is that of this version.'
      : `${pending} migrations are to come; the next start makes them.`,
  );
}
