/** nock stands in for hosts that a test cannot reach. From its import on it replaces the sockets of the whole process, which test files share: so it sleeps but where a test wakes it. */
import nock from 'nock';

nock.restore();

/** Stands in for hosts until it is put to sleep. */
export function wakeNock(): typeof nock {
  if (!nock.isActive()) nock.activate();
  return nock;
}

export function sleepNock(): void {
  nock.cleanAll();
  nock.enableNetConnect();
  nock.restore();
}
