/** What people do in a world, and what they then see: comments, labels, pushes, buttons. */
import { z } from 'zod';
import type { Script } from '../../src/demo/script.ts';
import { laneOf } from '../../src/loop/effect.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed, type ReviewedLoop } from '../../src/loop/stages.ts';
import { eventually } from '../eventually.ts';
import { installationToken } from '../local/server.ts';
import { REPOSITORY, type World } from './world.ts';

export { eventually };

const numbered = z.object({ id: z.int() });
const committed = z.object({ commit: z.object({ sha: z.string() }) });
const ref = z.object({ object: z.object({ sha: z.string() }) });
const commit = z.object({ parents: z.array(z.object({ sha: z.string() })) });

export interface Answered {
  readonly reactions: readonly string[];
  /** What the App said since, on the issue and on its pull request. */
  readonly sentences: readonly string[];
}

/** Writes a comment; returns its id. */
export async function commented(world: World, login: string, number: number, body: string): Promise<number> {
  return numbered.parse((await world.as(login, 'POST', `/issues/${number}/comments`, { body })).body).id;
}

/** Writes a command on the pull request, or on the issue while there is none, and waits for all that follows from it. */
export async function commanded(world: World, login: string, issue: number, body: string): Promise<Answered> {
  const loop = await world.loop(issue);
  const before = new Set((await said(world, issue)).map(({ id }) => id));
  const id = await commented(world, login, loop?.review?.pull ?? issue, body);
  await eventually(async () => (await world.reactions(id)).length > 0, `a reaction to "${body}"`);
  await quiet(world, issue);
  const sentences = (await said(world, issue))
    .filter((comment) => !before.has(comment.id))
    .map((comment) => comment.body);
  return { reactions: await world.reactions(id), sentences };
}

/** What the App wrote on the issue and on its pull request, oldest first. */
export async function said(world: World, issue: number): ReturnType<World['comments']> {
  const pull = (await world.loop(issue))?.review?.pull;
  const comments = [...(await world.comments(issue)), ...(pull === undefined ? [] : await world.comments(pull))];
  return comments.filter(({ author }) => author === 'loopwright[bot]').toSorted((left, right) => left.id - right.id);
}

/** Waits until nobody waits for a word of the App any more. */
export async function quiet(world: World, issue: number): Promise<void> {
  await eventually(
    async () => (await world.loop(issue))?.pending.every((effect) => laneOf(effect) !== 'voice') === true,
    `nothing is left to say about #${issue}`,
  );
}

/** Labels a new issue, takes the safe defaults and waits for the packet. */
export async function proposed(world: World, title: string): Promise<ReviewedLoop> {
  const issue = await world.labelled({ title });
  await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
  await commented(world, 'maria', issue, '/auto');
  return asReviewed(await world.until(issue, ({ waitingFor }) => waitingFor === 'approval'));
}

/** Labels a new issue, answers its questions, approves its packet and waits for the end of the loop. */
export async function walked(world: World): Promise<Loop> {
  const issue = await world.labelled();
  await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
  await commented(world, 'maria', issue, '/answer 1a 2a');
  const { review } = asReviewed(await world.until(issue, ({ waitingFor }) => waitingFor === 'approval'));
  await commented(world, 'maria', review.pull, '/approve');
  return world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped');
}

/** Commits one file onto a branch as a person does on the web page; returns the commit. */
export async function pushed(
  world: World,
  login: string,
  { branch, path, text }: { readonly branch: string; readonly path: string; readonly text: string },
): Promise<string> {
  const there = z
    .object({ sha: z.string() })
    .safeParse((await world.as(login, 'GET', `/contents/${path}?ref=${branch}`)).body);
  const { status, body } = await world.as(login, 'PUT', `/contents/${path}`, {
    message: `Edit ${path}`,
    branch,
    content: Buffer.from(text).toString('base64'),
    ...(there.success ? { sha: there.data.sha } : {}),
  });
  if (status >= 300) throw new Error(`${login} could not push ${path}: ${status} ${JSON.stringify(body)}`);
  return committed.parse(body).commit.sha;
}

/** Where a branch is; undefined when there is none. */
export async function headOf(world: World, branch: string): Promise<string | undefined> {
  return ref.safeParse((await world.as('maria', 'GET', `/git/ref/heads/${branch}`)).body).data?.object.sha;
}

/** A commit and its first parents, newest first. */
export async function historyOf(world: World, sha: string): Promise<readonly string[]> {
  const { parents } = commit.parse((await world.as('maria', 'GET', `/git/commits/${sha}`)).body);
  const [parent] = parents;
  return [sha, ...(parent === undefined ? [] : await historyOf(world, parent.sha))];
}

/** Presses a button of a check run; returns the status of the answer. */
export async function pressed(world: World, login: string, checkId: number, button: string): Promise<number> {
  const path = `/_local/repos/${REPOSITORY}/check-runs/${checkId}/actions/${button}`;
  const response = await fetch(`${world.github.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${login}-token` },
  });
  return response.status;
}

/** Writes a comment with a token of the App itself. */
export async function commentedByApp(world: World, number: number, body: string): Promise<number> {
  const response = await fetch(`${world.github.url}/api/v3/repos/${REPOSITORY}/issues/${number}/comments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await installationToken(world.github)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ body }),
  });
  return numbered.parse(await response.json()).id;
}

/** The demo's answers without its mistake: a build is right whether it starts from nothing or from what it made before it was pushed into. */
export function rightAtOnce(script: Script): Script {
  const [first = [], second = []] = script.tasks['T-1'] ?? [];
  const [page = []] = script.tasks['T-2'] ?? [];
  const right = second.find(({ tool }) => tool === 'write_file') ?? { tool: 'missing' };
  const steps = first.map((step) => (step.tool === 'write_file' ? right : step));
  return { ...script, tasks: { 'T-1': [steps], 'T-2': [page] } };
}
