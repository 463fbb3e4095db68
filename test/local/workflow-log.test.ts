import { describe, expect, it } from 'vitest';
import { createWorkflowLog } from '../../src/local/actions/workflow-log.ts';

const bare = (text: string): string[] => text.split('\n').map((line) => line.replace(/^\S+Z /, ''));

describe('a job log', () => {
  it('masks the longest secret first, and each line of a secret with several', () => {
    const log = createWorkflowLog(['abc', 'abcdef']);
    log.output('::add-mask::one%0Atwo');
    log.write('abcdef abc one two');
    expect(bare(log.text())).toEqual(['*** *** *** ***']);
  });

  it('obeys no command between stop-commands and its token', () => {
    const log = createWorkflowLog([]);
    for (const line of ['::stop-commands::now', '::error::no', '::now::', '::error::yes']) log.output(line);
    expect(log.annotations().map(({ message }) => message)).toEqual(['yes']);
    expect(bare(log.text())).toEqual(['::error::no', '##[error]yes']);
  });

  it('leaves alone what only looks like a command', () => {
    const log = createWorkflowLog([]);
    for (const line of ['a ::error::x', '::set-output name=a::b', 'std::vector::size']) log.output(line);
    expect(log.annotations()).toEqual([]);
    expect(bare(log.text())).toEqual(['a ::error::x', '::set-output name=a::b', 'std::vector::size']);
  });

  it('reads the properties of an annotation with their escapes', () => {
    const log = createWorkflowLog([]);
    log.output('::notice file=a%2Cb.ts,line=12,title=T%3A::50%25 done');
    expect(log.annotations()).toEqual([{ level: 'notice', message: '50% done', path: 'a,b.ts', line: 12 }]);
  });

  it('stops growing at its limit and says so', () => {
    const log = createWorkflowLog([]);
    for (let count = 0; count < 60; count++) log.write('x'.repeat(100_000));
    expect(log.text().length).toBeLessThan(4_100_000);
    expect(log.text()).toMatch(/longer than 4000000 characters$/);
  });
});
