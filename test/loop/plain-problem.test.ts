import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/context/repository-config.ts';
import { ConfigError } from '../../src/errors.ts';

const COMMANDS = 'version: 1\ncommands: { test: npm test, runner: node-test }\n';

function said(text: string): string {
  try {
    parseConfig(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replace(/^.*column \d+: /, '');
    throw error;
  }
  return 'nothing';
}

describe('what is wrong in a configuration is said in plain words, with the value', () => {
  it.each([
    ['version: 2', '"version" is 2, and must be 1; correct it.'],
    ['version: 1', '"commands" is missing; correct it.'],
    ['- 1', 'the file is a list, and must be a group of keys; correct it.'],
    ['version: 1\ncommands: { test: 5, runner: node-test }', '"commands.test" is 5, and must be a text; correct it.'],
    [
      'version: 1\ncommands: { test: npm test, runner: mocha }',
      '"commands.runner" is "mocha", and must be node-test, vitest, jest, pytest, unittest or junit; correct it.',
    ],
    [`${COMMANDS}protected: src`, '"protected" is "src", and must be a list; correct it.'],
    [`${COMMANDS}limits: { iterations: 9 }`, '"limits.iterations" is 9, and must be at most 5; correct it.'],
    [`${COMMANDS}limits: { iterations: 1.5 }`, '"limits.iterations" is 1.5, and must be a whole number; correct it.'],
    [`${COMMANDS}limits: { runMinutes: 0 }`, '"limits.runMinutes" is 0, and must be more than 0; correct it.'],
    [`${COMMANDS}limits: { runMinutes: long }`, '"limits.runMinutes" is "long", and must be a number; correct it.'],
    [
      `${COMMANDS}branch: main`,
      '"branch" is "main", and must begin with "loopwright/" and have "{issue}" in its last part, beside letters, digits and . _ -; correct it.',
    ],
    [
      `${COMMANDS.replace(' }', ", hosts: ['https://example.org'] }")}`,
      '"commands.hosts.0" is "https://example.org", and must be a name in small letters, with or without a port, such as "api.example.org:8443"; correct it.',
    ],
    [`${COMMANDS}limit: 1`, '"limit" is not a known key; remove it.'],
  ])('%s', (text, sentence) => {
    expect(said(text)).toEqual(sentence);
  });
});
