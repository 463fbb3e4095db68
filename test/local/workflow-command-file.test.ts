import { describe, expect, it } from 'vitest';
import { parseCommandFile, parseEnvironmentFile } from '../../src/local/runner/command-file.ts';

describe('a command file', () => {
  it('holds values of one line and of several, the last of a name winning', () => {
    expect(parseCommandFile('a=1\nb<<END\nx=1\n\ny<<z\nEND\na=2=3\nc=\n')).toEqual({
      a: '2=3',
      b: 'x=1\n\ny<<z',
      c: '',
    });
    expect(parseCommandFile('')).toEqual({});
  });

  it('with a line of neither form, or a block without its end, is an error in the words of GitHub', () => {
    expect(() => parseCommandFile('just text')).toThrow("Invalid format 'just text'");
    expect(() => parseCommandFile('a<<END\nb')).toThrow("Matching delimiter not found 'END'");
  });

  it('for the environment keeps the variables of the runner and refuses NODE_OPTIONS', () => {
    expect(parseEnvironmentFile('GITHUB_SHA=x\nRUNNER_TRACKING_ID=0\nMINE=y')).toEqual({ MINE: 'y' });
    expect(() => parseEnvironmentFile('NODE_OPTIONS=--require=/x.js')).toThrow("Can't store NODE_OPTIONS");
  });
});
