import { describe, expect, it } from 'vitest';
import { type AskedModel, modelVerdict } from '../../src/onboarding/model.ts';

const RIGHT = { isStream: true, tool: 'given', tokens: 72 } as const;

describe('what an answer of the model means for a repository', () => {
  it.each<[string, AskedModel, string]>([
    ['refuses the key', { problem: 'HTTP 401', status: 401 }, 'refuses the key'],
    ['refuses it otherwise', { problem: 'HTTP 403', status: 403 }, 'refuses the key'],
    [
      'is not known',
      { problem: 'HTTP 404', status: 404 },
      'is not known to its endpoint, or that is none for chat completions',
    ],
    ['is not there', { problem: 'no connection (ECONNREFUSED)', status: undefined }, 'cannot be reached'],
    [
      'stands at a port that no fetch connects to',
      { problem: 'no connection (bad port)', status: undefined },
      'cannot be reached',
    ],
    ['wants to be paid', { problem: 'HTTP 402', status: 402 }, 'wants to be paid'],
    ['has no such host', { problem: 'no connection (ENOTFOUND)', status: undefined }, 'cannot be reached'],
    [
      'is a page',
      { problem: 'an answer that is no JSON', status: 200 },
      'answers with something else than a chat completion',
    ],
    ['calls no tool', { ...RIGHT, tool: 'none' }, 'calls no tool'],
    ['calls what it was not given', { ...RIGHT, tool: 'another' }, 'calls a tool that it was not given'],
  ])('one that %s keeps a loop from beginning, with a sentence and a remedy', (_, asked, against) => {
    const verdict = modelVerdict(asked);
    expect(verdict.against).toBe(against);
    expect(verdict.findings).toHaveLength(1);
    expect(verdict.findings[0]).toMatchObject({
      state: 'wrong',
      sentence: expect.stringMatching(/^It .+\.$/),
      remedy: expect.stringMatching(/\.$/),
    });
  });

  const UNTRUSTED = [
    'has a certificate by an authority that the App does not trust',
    'Set NODE_EXTRA_CA_CERTS to the file of that authority (a self-signed certificate is its own), for the App.',
  ] as const;
  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', ...UNTRUSTED],
    ['SELF_SIGNED_CERT_IN_CHAIN', ...UNTRUSTED],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ...UNTRUSTED],
    ['UNABLE_TO_GET_ISSUER_CERT', ...UNTRUSTED],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', ...UNTRUSTED],
    ['CERT_HAS_EXPIRED', 'has a certificate that has expired', 'Renew that certificate.'],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'has a certificate for another name',
      'Use the name that is in the certificate in LLM_BASE_URL, or have one made for this name.',
    ],
    [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'speaks no TLS',
      'Correct LLM_BASE_URL: begin it with http://, or name the port that speaks TLS.',
    ],
    [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'agrees with the App on no TLS',
      'Correct LLM_BASE_URL, or have the other side speak TLS 1.2 or 1.3.',
    ],
  ])('no connection for %s is wrong, because waiting changes nothing of it', (code, against, remedy) => {
    const problem = `no connection (${code})`;
    const { findings } = modelVerdict({ problem, status: undefined });
    expect(findings).toEqual([{ state: 'wrong', sentence: `It ${against}: ${problem}.`, remedy, against }]);
  });

  it.each<[string, AskedModel, string]>([
    ['fails for now', { problem: 'HTTP 503', status: 503 }, 'It gave no answer that tells: HTTP 503.'],
    ['has too much to do', { problem: 'HTTP 429', status: 429 }, 'It gave no answer that tells: HTTP 429.'],
    [
      'is silent',
      { problem: 'no answer within 60 s', status: undefined },
      'It gave no answer that tells: no answer within 60 s.',
    ],
    [
      'does not stream',
      { ...RIGHT, isStream: false },
      'Its answers come whole: a long one reads as silence, and ends the call.',
    ],
    [
      'does not count',
      { ...RIGHT, tokens: undefined },
      'It does not say how many tokens a call took, so budgets go by estimates.',
    ],
  ])('one that %s keeps nobody from beginning, and is told', (_, asked, sentence) => {
    const { against, findings } = modelVerdict(asked);
    expect([against, findings.map((finding) => finding.sentence)]).toEqual([undefined, [sentence]]);
    expect(findings[0]?.remedy).toMatch(/\.$/);
  });

  it('one with which all is right is told to be so', () => {
    const { against, findings } = modelVerdict(RIGHT);
    expect(against).toBeUndefined();
    expect(findings.map(({ state, sentence }) => `${state} ${sentence}`)).toEqual([
      'ok Its answers come piece by piece.',
      'ok It calls the tool that it is given.',
      'ok It says what a call took: 72 tokens.',
    ]);
  });

  it('one with several troubles is told with all of them', () => {
    const { against, findings } = modelVerdict({ isStream: false, tool: 'none', tokens: undefined });
    expect([against, findings.length]).toEqual(['calls no tool', 3]);
  });
});
