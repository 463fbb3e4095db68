import { describe, expect, it } from 'vitest';
import { parseWorkflow } from '../../src/local/actions/workflow-file.ts';
import { typedInputs, validateInputs } from '../../src/local/actions/workflow-inputs.ts';

const workflow = parseWorkflow(`
on:
  workflow_dispatch:
    inputs:
      text: { required: true }
      flag: { type: boolean, default: true }
      count: { type: number }
      pick: { type: choice, options: [a, b], default: a }
jobs: { a: { runs-on: x, steps: [{ run: "true" }] } }
`);

// https://docs.github.com/rest/actions/workflows#create-a-workflow-dispatch-event
describe('the inputs of a dispatch', () => {
  it('are completed by their defaults', () => {
    expect(validateInputs(workflow, { text: 'x', count: 4 })).toEqual({
      valid: true,
      inputs: { text: 'x', flag: 'true', count: '4', pick: 'a' },
    });
  });

  it.each([
    [{ text: 'x', other: 1, more: 2 }, 'Unexpected inputs provided: ["other","more"]'],
    [{}, "Required input 'text' not provided"],
    [{ text: '' }, "Required input 'text' not provided"],
    [{ text: 'x', flag: 'maybe' }, "Provided value 'maybe' for input 'flag' is not a boolean"],
    [{ text: 'x', count: 'many' }, "Provided value 'many' for input 'count' is not a number"],
    [{ text: 'x', pick: 'c' }, "Provided value 'c' for input 'pick' not in the list of allowed values"],
  ])('%j are refused with the reason', (inputs, message) => {
    expect(validateInputs(workflow, inputs)).toEqual({ valid: false, message });
  });

  it('are refused where the workflow is not dispatched', () => {
    const pushed = parseWorkflow('on: push\njobs: { a: { runs-on: x, steps: [{ run: "true" }] } }');
    expect(validateInputs(pushed, {})).toEqual({
      valid: false,
      message: "Workflow does not have 'workflow_dispatch' trigger",
    });
  });

  it('are typed for expressions', () => {
    expect(typedInputs(workflow, { text: '1', flag: 'false', count: '4' })).toEqual({
      text: '1',
      flag: false,
      count: 4,
      pick: 'a',
    });
  });
});
