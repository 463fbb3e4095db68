/** The embedded GitHub's memory: one SQLite file that survives kill -9. */
import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as checks from './check-records.ts';
import { createCollection } from './collection.ts';
import * as records from './records.ts';

export type State = ReturnType<typeof openState>;

/** Opens `state.sqlite` in the directory, creating what is missing. */
export function openState(directory: string) {
  const file = join(directory, 'state.sqlite');
  // It has people's tokens; SQLite gives the files beside it the same mode.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000');
  return {
    ...openPlanningCollections(database),
    ...openPullCollections(database),
    ...openCheckCollections(database),
    ...openControlCollections(database),
    /** Runs `work` in one transaction; an inner call joins the outer one. */
    transaction: createTransaction(database),
    close: () => database.close(),
  };
}

const inRepository = ['repositoryId', 'number'];

function openPlanningCollections(database: DatabaseSync) {
  return {
    accounts: createCollection({ database, name: 'accounts', schema: records.accountSchema }),
    repositories: createCollection({ database, name: 'repositories', schema: records.repositorySchema }),
    formerNames: createCollection({ database, name: 'former_names', schema: records.formerNameSchema }),
    collaborators: createCollection({ database, name: 'collaborators', schema: records.collaboratorSchema }),
    issues: createCollection({ database, name: 'issues', schema: records.issueSchema, indexed: inRepository }),
    issueEvents: createCollection({
      database,
      name: 'issue_events',
      schema: records.issueEventSchema,
      indexed: inRepository,
    }),
    goneIssues: createCollection({
      database,
      name: 'gone_issues',
      schema: records.goneIssueSchema,
      indexed: inRepository,
    }),
    labels: createCollection({ database, name: 'labels', schema: records.labelSchema }),
    comments: createCollection({ database, name: 'comments', schema: records.commentSchema, indexed: inRepository }),
    commentEdits: createCollection({ database, name: 'comment_edits', schema: records.commentEditSchema }),
    reactions: createCollection({
      database,
      name: 'reactions',
      schema: records.reactionSchema,
      indexed: ['subjectId'],
    }),
    tokens: createCollection({ database, name: 'tokens', schema: records.tokenSchema, indexed: ['digest'] }),
    announcedRefs: createCollection({ database, name: 'announced_refs', schema: records.announcedRefSchema }),
    refIntents: createCollection({ database, name: 'ref_intents', schema: records.refIntentSchema }),
    signedCommits: createCollection({
      database,
      name: 'signed_commits',
      schema: records.signedCommitSchema,
      indexed: ['sha'],
    }),
    deliveries: createCollection({ database, name: 'deliveries', schema: records.deliverySchema, indexed: ['state'] }),
    registrations: createCollection({ database, name: 'registrations', schema: records.registrationSchema }),
    apps: createCollection({ database, name: 'apps', schema: records.appSchema }),
  };
}

function openControlCollections(database: DatabaseSync) {
  return {
    requests: createCollection({ database, name: 'requests', schema: records.requestSchema }),
    switches: createCollection({ database, name: 'switches', schema: records.switchSchema }),
    faults: createCollection({ database, name: 'faults', schema: records.faultRecordSchema }),
    problems: createCollection({ database, name: 'problems', schema: records.problemSchema }),
  };
}

function openPullCollections(database: DatabaseSync) {
  return {
    pulls: createCollection({ database, name: 'pulls', schema: records.pullSchema, indexed: inRepository }),
    queueEntries: createCollection({
      database,
      name: 'queue_entries',
      schema: records.queueEntrySchema,
      indexed: inRepository,
    }),
    reviews: createCollection({ database, name: 'reviews', schema: records.reviewSchema, indexed: inRepository }),
    reviewComments: createCollection({
      database,
      name: 'review_comments',
      schema: records.reviewCommentSchema,
      indexed: [...inRepository, 'reviewId'],
    }),
  };
}

function openCheckCollections(database: DatabaseSync) {
  return {
    checkSuites: createCollection({
      database,
      name: 'check_suites',
      schema: checks.checkSuiteSchema,
      indexed: ['headSha'],
    }),
    checkRuns: createCollection({ database, name: 'check_runs', schema: checks.checkRunSchema, indexed: ['headSha'] }),
    statuses: createCollection({ database, name: 'statuses', schema: checks.statusRecordSchema, indexed: ['sha'] }),
    workflows: createCollection({ database, name: 'workflows', schema: checks.workflowSchema }),
    runs: createCollection({ database, name: 'runs', schema: checks.runSchema, indexed: ['workflowId'] }),
    jobs: createCollection({ database, name: 'jobs', schema: checks.jobSchema, indexed: ['runId'] }),
    artifacts: createCollection({ database, name: 'artifacts', schema: checks.artifactSchema, indexed: ['runId'] }),
    environments: createCollection({ database, name: 'environments', schema: checks.environmentSchema }),
    branchPolicies: createCollection({ database, name: 'branch_policies', schema: checks.branchPolicySchema }),
    identityRequests: createCollection({
      database,
      name: 'identity_requests',
      schema: checks.identityRequestSchema,
      indexed: ['digest'],
    }),
  };
}

function createTransaction(database: DatabaseSync): <T>(work: () => T) => T {
  let depth = 0;
  return (work) => {
    if (depth > 0) return work();
    database.exec('BEGIN IMMEDIATE');
    depth += 1;
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    } finally {
      depth -= 1;
    }
  };
}
