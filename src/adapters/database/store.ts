/** The store port over Postgres: one file per thing that is stored, put together here. */
import type { Store } from '../../ports.ts';
import { begunRows } from './begun-rows.ts';
import { putBlob, readBlob } from './blob-rows.ts';
import { callRows } from './call-rows.ts';
import type { Engine } from './database.ts';
import { createReceiver, markRead, postpone, readDelivery, unread, unreadRepositories } from './delivery-rows.ts';
import { forget } from './forget.ts';
import { jobRows } from './job-rows.ts';
import { askLimits } from './limit-rows.ts';
import { loopsIn, loopsOf, loopsOnBase, OPEN, one, overview, readLog, several, unfinished } from './loop-rows.ts';
import { askedFor, dueMissed, noteMissed } from './missed-rows.ts';
import { onboardingRows } from './onboarding-rows.ts';
import { pullProofRows } from './pull-proof-rows.ts';
import { save } from './saves.ts';
import { shownRows } from './shown-rows.ts';
import { nextQueued } from './slots.ts';

export function createStore(engine: Engine): Store {
  const { db } = engine;
  return {
    receive: createReceiver(engine),
    delivery: (id) => readDelivery(db, id),
    unread: (of) => unread(db, of),
    unreadRepositories: () => unreadRepositories(db),
    markRead: (ids, note) => markRead(db, ids, note),
    postpone: (id, until) => postpone(db, id, until),
    load: (id) => one(loopsOf(db).where('id', '=', id)),
    newest: (repositoryId, issue) => one(loopsIn(db, repositoryId).where('issue', '=', issue).orderBy('n', 'desc')),
    byPull: (repositoryId, pull) => one(loopsIn(db, repositoryId).where('pull', '=', pull).orderBy('serial', 'desc')),
    byBranch: (repositoryId, branch) =>
      one(loopsIn(db, repositoryId).where('branch', '=', branch).orderBy('serial', 'desc')),
    byRun: (repositoryId, runId) =>
      one(loopsIn(db, repositoryId).where('run_id', '=', runId).orderBy('serial', 'desc')),
    awaitingChecks: (repositoryId, sha) =>
      several(loopsIn(db, repositoryId).where('head', '=', sha).where('status', 'in', OPEN).orderBy('serial')),
    ...loopsOnBase(db),
    overview: (filter) => overview(db, filter),
    unfinished: () => unfinished(db),
    save: (change) => save(engine, change),
    nextQueued: (limits, at) => nextQueued(db, limits, at),
    log: (id) => readLog(db, id),
    ...callRows(db),
    ...shownRows(db),
    ...begunRows(db),
    ...pullProofRows(engine),
    ...onboardingRows(engine),
    putBlob: (content) => putBlob(db, content),
    blob: (digest) => readBlob(db, digest),
    ...jobRows(db),
    noteMissed: (missed) => noteMissed(db, missed),
    dueMissed: (of) => dueMissed(db, of),
    askedFor: (guid, dueAt) => askedFor(db, guid, dueAt),
    askLimits: (installationId, ask) => askLimits(engine, installationId, ask),
    leads: () => engine.leads(),
    forget: (retention) => forget(engine, retention),
  };
}
