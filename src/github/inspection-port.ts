/** What can be read of the App itself and of a repository's settings, and nothing that a loop needs. */
import type { HeadChecks } from './github-port.ts';

export type Levels = Readonly<Record<string, string>>;

export interface AppFacts {
  readonly slug: string | undefined;
  /** Of the GitHub Enterprise Server that answers; undefined where none does. */
  readonly serverVersion: string | undefined;
  /** Its page on GitHub. */
  readonly url: string;
  readonly permissions: Levels;
  readonly events: readonly string[];
}

export interface HookFacts {
  readonly url: string | undefined;
  readonly hasSecret: boolean;
  readonly checksCertificate: boolean;
}

/** One try of GitHub to bring a webhook. */
export interface DeliveryFacts {
  readonly name: string;
  readonly triedAt: string;
  /** What our server answered; 0 where it did not. */
  readonly status: number;
  readonly outcome: string;
}

export interface InstallationFacts {
  readonly id: number;
  /** Where its owner approves permissions. */
  readonly url: string;
  readonly permissions: Levels;
  readonly events: readonly string[];
  readonly isSuspended: boolean;
}

export interface RepositoryFacts {
  readonly id: number;
  readonly url: string;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  readonly isDisabled: boolean;
  readonly hasIssues: boolean;
}

/** A check that rules require. */
export interface RequiredCheck {
  readonly name: string;
  /** Id of the only App whose check counts; undefined where anybody's does. */
  readonly by: number | undefined;
}

export interface RuleFacts {
  /** `pull_request`, `required_status_checks`, `merge_queue` … */
  readonly type: string;
  readonly rulesetId: number | undefined;
  /** Those that it requires. */
  readonly checks: readonly RequiredCheck[];
  /** How many people must approve; 0 where it says nothing of that. */
  readonly approvals: number;
}

export interface ProtectionFacts {
  /** By the settings of the branch itself; rulesets are told apart. */
  readonly isEnabled: boolean;
  readonly checks: readonly RequiredCheck[];
}

export interface CheckFacts {
  readonly status: string;
  readonly conclusion: string | undefined;
  readonly title: string;
  /** The slug of the App that wrote it. */
  readonly by: string | undefined;
  /** Where people see it. */
  readonly url: string;
}

export interface EnvironmentFacts {
  readonly branches: 'every' | 'protected' | 'named';
  /** Patterns of the branches and tags that may deploy, where they are named. */
  readonly names: readonly string[];
}

export interface RepositoryInspection {
  file(path: string): Promise<string | undefined>;
  /** `active`, `disabled_manually` …; undefined where Actions do not know the file. */
  workflowState(fileName: string): Promise<string | undefined>;
  /** When the newest run of a workflow that ended well began. */
  lastGoodRun(fileName: string): Promise<string | undefined>;
  /** Whether the repository runs Actions, and which; only owners may see it. */
  actions(): Promise<{ readonly isEnabled: boolean; readonly allowed: string | undefined }>;
  /** Of the default branch, in the order that GitHub has. */
  rules(): Promise<readonly RuleFacts[]>;
  /** `never`, `always` …; undefined where GitHub does not say it. */
  canBypass(rulesetId: number): Promise<string | undefined>;
  /** Of the default branch. */
  protection(): Promise<ProtectionFacts>;
  environment(name: string): Promise<EnvironmentFacts | undefined>;
  /** Whether one of the last 100 pull requests is a draft. */
  hasDraft(): Promise<boolean>;
  /** The newest check run of a name on the head of the default branch, of each App that wrote one. */
  checksOnHead(name: string): Promise<readonly CheckFacts[]>;
  /** What everybody but us says about the head of the default branch. */
  headChecks(): Promise<HeadChecks & { readonly sha: string }>;
}

/** @throws {LoopError} as the GitHub port, each method; what is answered 404 where that means something is undefined. */
export interface Inspection {
  app(): Promise<AppFacts>;
  hook(): Promise<HookFacts>;
  /** The newest ones first, of the last three days. */
  deliveries(): Promise<readonly DeliveryFacts[]>;
  installation(place: NamedPlace): Promise<InstallationFacts | undefined>;
  repository(place: NamedPlace, installation: number): Promise<RepositoryFacts>;
  inside(place: NamedPlace, installation: number, repository: RepositoryFacts): RepositoryInspection;
}

export interface NamedPlace {
  readonly owner: string;
  readonly repo: string;
}
