/** One leader among the processes on a PostgreSQL: the one whose session holds an advisory lock. When it dies, its connection does, and another may lead. */
import pg from 'pg';

// Any constant will do that no other lock of ours has.
const ADVISORY_LOCK = 7_301_003;

export interface Leadership {
  /** Whether this process leads; asks for it where nobody does. A database that does not answer is thrown. */
  leads(): Promise<boolean>;
  resign(): Promise<void>;
}

/** The lock lives in a connection of its own, because a pool gives its connections to anybody. */
export function createLeadership(url: string): Leadership {
  let session: { readonly client: pg.Client; leads: boolean } | undefined;
  const drop = (): void => {
    session = undefined;
  };
  const open = async () => {
    const client = new pg.Client({ connectionString: url, application_name: 'loopwright leader' });
    client.on('error', drop);
    client.on('end', drop);
    await client.connect();
    session = { client, leads: false };
    return session;
  };
  return {
    async leads() {
      const held = session ?? (await open());
      // A lock that is held already would be taken once more, so then it is only asked whether the connection lives.
      const text = held.leads ? 'select true as leads' : 'select pg_try_advisory_lock($1) as leads';
      const { rows } = await held.client.query<{ leads: boolean }>(text, held.leads ? [] : [ADVISORY_LOCK]);
      held.leads = rows[0]?.leads === true;
      return held.leads;
    },
    async resign() {
      await session?.client.end();
    },
  };
}
