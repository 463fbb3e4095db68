/** Starts git for the process that started this one, and is small, so that starting costs little. */
import process from 'node:process';
import { execa } from 'execa';
import type { Answered, Asked } from './run-git.ts';

/** What git, asked to end, gets for removing its lock files. */
const GRACE_MS = 5000;

process.on('message', (asked: Asked) => {
  void answer(asked).then((answered) => {
    // Whoever asked may be gone.
    if (process.connected) process.send?.(answered);
  });
});
process.on('disconnect', () => process.exit());

async function answer({ id, argv, env, input, timeoutMs, mostBytes }: Asked): Promise<Answered> {
  const git = execa('git', argv, {
    extendEnv: false,
    env,
    // A group of its own, because git starts others, who would hold its output open.
    detached: true,
    encoding: 'buffer',
    reject: false,
    stripFinalNewline: false,
    maxBuffer: mostBytes,
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
  });
  const deadline = timeoutMs === undefined ? undefined : endAfter(timeoutMs, git.pid);
  const result = await git;
  const isLate = deadline?.ended() ?? false;
  return {
    id,
    // Ended from outside, it may still say something of itself.
    exitCode: isLate || result.isMaxBuffer ? undefined : result.exitCode,
    stdout: result.stdout,
    stderr: new TextDecoder().decode(result.stderr),
    problem: isLate ? `it took longer than ${timeoutMs} ms` : (result.shortMessage ?? ''),
  };
}

/** Ends a process and all that it started when its time is up; `ended` says whether it was, and stops waiting. */
function endAfter(ms: number, pid: number | undefined): { readonly ended: () => boolean } {
  let isOver = false;
  const timers = [
    setTimeout(() => {
      isOver = true;
      endGroup(pid, 'SIGTERM');
    }, ms),
    setTimeout(() => endGroup(pid, 'SIGKILL'), ms + GRACE_MS),
  ];
  return {
    ended: () => {
      timers.forEach(clearTimeout);
      return isOver;
    },
  };
}

/** One that is gone already is what we want. */
function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
