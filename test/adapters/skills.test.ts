import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSkills } from '../../src/adapters/skills.ts';
import { GROUND_RULES } from '../../src/drafting/drafting.ts';
import { BUILDER_SKILLS } from '../../src/effects/dispatch.ts';
import { ConfigError } from '../../src/errors.ts';
import { ANSWERS } from '../../src/loop/answers.ts';

const SOURCE_SKILLS =
  'interview-me speckit-specify api-and-interface-design writing-plans speckit-tasks speckit-analyze doubt-driven-development speckit-checklist architecture-diagram-generator incremental-implementation test-driven-development security-and-hardening requesting-code-review ai-workflow-data-seeding uat-workflow performance-optimization systematic-debugging code-simplification observability-and-instrumentation shipping-and-launch docker-compose-deployment git-workflow coding-principles context-pruning context-size-manager headroom-context-compression fastapi-jinja2-feature-build'.split(
    ' ',
  );

describe('the skills that come with the product', () => {
  it('are all 27 of the source system and those that this product adds', async () => {
    const skills = await loadSkills('skills');
    expect(SOURCE_SKILLS).toHaveLength(27);
    for (const name of [
      ...SOURCE_SKILLS,
      'ground-rules',
      'test-designer',
      'requirement-writing',
      'spec-review',
      'reflect',
    ])
      expect(skills.has(name), name).toBe(true);
  });

  it('agree with the answers that chain them about phase, role and output', async () => {
    const skills = await loadSkills('skills');
    for (const [answer, { phase, role, skills: chain }] of Object.entries(ANSWERS)) {
      const first = skills.get(chain[0]);
      expect([first?.phase, first?.role, first?.output], chain[0]).toEqual([phase, role, answer]);
    }
  });

  it('reach a prompt, or say that they are for people and programs', async () => {
    const asked = Object.values(ANSWERS).flatMap(({ skills: chain }) => [...chain]);
    const prompted = new Set<string>([GROUND_RULES, ...asked, ...BUILDER_SKILLS]);
    const skills = [...(await loadSkills('skills'))];
    const silent = skills.filter(([, { role }]) => role === 'none').map(([name]) => name);
    expect(skills.map(([name]) => name).filter((name) => !prompted.has(name))).toEqual(silent);
    expect(silent).toHaveLength(6);
  });

  it('are short enough to be read and long enough to be useful', async () => {
    for (const [name, { text }] of await loadSkills('skills')) {
      const lines = text.split('\n').length;
      expect(lines, name).toBeGreaterThanOrEqual(20);
      expect(lines, name).toBeLessThanOrEqual(60);
    }
  });
});

describe('loadSkills', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'skills-'));
    await cp('skills', directory, { recursive: true });
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it.each([
    ['speckit-specify', 'DEFINE'],
    ['speckit-tasks', 'PLAN'],
    ['coding-principles', 'BUILD'],
    ['test-designer', 'BUILD'],
    ['git-workflow', 'SHIP'],
  ])('refuses to start without %s and names the phase that needs it', async (name, phase) => {
    await rm(join(directory, name, 'SKILL.md'));
    await expect(loadSkills(directory)).rejects.toThrow(
      new ConfigError(
        `${join(directory, name, 'SKILL.md')} is missing; ${phase} cannot run without it: restore the file or reinstall loopwright.`,
      ),
    );
  });

  it.each([
    ['no front matter', '# Reflection\n', 'no front matter in YAML'],
    [
      'an unknown phase',
      '---\nname: reflect\ndescription: long enough text\nphase: LATER\nrole: critic\noutput: x\n---\ntext\n',
      '"phase"',
    ],
    [
      'another name than its folder',
      '---\nname: other\ndescription: long enough text\nphase: any\nrole: any\noutput: x\n---\ntext\n',
      'must be "reflect"',
    ],
    [
      'no text',
      '---\nname: reflect\ndescription: long enough text\nphase: any\nrole: any\noutput: x\n---\n\n',
      'has no text',
    ],
  ])('refuses a skill with %s and names the file', async (_, content, problem) => {
    await writeFile(join(directory, 'reflect', 'SKILL.md'), content);
    await expect(loadSkills(directory)).rejects.toThrow(`${join(directory, 'reflect', 'SKILL.md')}`);
    await expect(loadSkills(directory)).rejects.toThrow(problem);
  });

  it('leaves a folder without a SKILL.md alone', async () => {
    await rm(join(directory, 'docker-compose-deployment', 'SKILL.md'));
    const skills = await loadSkills(directory);
    expect(skills.has('docker-compose-deployment')).toBe(false);
  });

  it('says that the directory cannot be read', async () => {
    await expect(loadSkills(join(directory, 'nowhere'))).rejects.toThrow(
      `The skills in ${join(directory, 'nowhere')} cannot be read: restore the directory, name another with SKILLS_DIR, or reinstall loopwright.`,
    );
  });
});
