/** Inputs of a workflow dispatch: GitHub's checks with GitHub's texts, and the values as expressions see them. */
import type { Workflow, WorkflowInputDefinition } from './workflow-file.ts';

export type InputCheck =
  | { readonly valid: true; readonly inputs: Readonly<Record<string, string>> }
  | { readonly valid: false; readonly message: string };

/**
 * Checks the inputs of a dispatch and fills in the defaults; the message is what the 422 answer says.
 * Source: https://docs.github.com/rest/actions/workflows#create-a-workflow-dispatch-event
 */
export function validateInputs(workflow: Workflow, inputs: Readonly<Record<string, unknown>>): InputCheck {
  const declared = workflow.on.workflow_dispatch?.inputs;
  if (declared === undefined) return refusal("Workflow does not have 'workflow_dispatch' trigger");
  const unexpected = Object.keys(inputs).filter((name) => !Object.hasOwn(declared, name));
  if (unexpected.length > 0) return refusal(`Unexpected inputs provided: ${JSON.stringify(unexpected)}`);
  const values: Record<string, string> = {};
  for (const [name, definition] of Object.entries(declared)) {
    const value = inputs[name] ?? definition.default;
    const message = problemOf(name, definition, value);
    if (message !== undefined) return refusal(message);
    values[name] = value === undefined ? emptyValues[definition.type] : String(value);
  }
  return { valid: true, inputs: values };
}

/** The `inputs` context: booleans and numbers typed as declared, everything else as text. */
export function typedInputs(workflow: Workflow, inputs: Readonly<Record<string, string>>): Record<string, unknown> {
  const declared = workflow.on.workflow_dispatch?.inputs ?? {};
  const values = Object.entries(declared).map(([name, definition]) => {
    const text = inputs[name] ?? definition.default ?? emptyValues[definition.type];
    return [name, typed[definition.type](text)] as const;
  });
  return Object.fromEntries(values);
}

const refusal = (message: string): InputCheck => ({ valid: false, message });

type InputType = WorkflowInputDefinition['type'];

const emptyValues: Readonly<Record<InputType, string>> = {
  string: '',
  boolean: 'false',
  number: '0',
  choice: '',
  environment: '',
};

const asText = (text: string): unknown => text;
const typed: Readonly<Record<InputType, (text: string) => unknown>> = {
  string: asText,
  boolean: (text) => text === 'true',
  number: Number,
  choice: asText,
  environment: asText,
};

function problemOf(name: string, definition: WorkflowInputDefinition, value: unknown): string | undefined {
  const given = value === undefined || value === null ? '' : String(value);
  if (given === '') return definition.required === true ? `Required input '${name}' not provided` : undefined;
  return wrongValue[definition.type](name, given, definition.options ?? []);
}

type ValueCheck = (name: string, given: string, options: readonly string[]) => string | undefined;

const anything: ValueCheck = () => undefined;
const wrongValue: Readonly<Record<InputType, ValueCheck>> = {
  string: anything,
  environment: anything,
  boolean: (name, given) =>
    ['true', 'false'].includes(given) ? undefined : `Provided value '${given}' for input '${name}' is not a boolean`,
  number: (name, given) =>
    Number.isNaN(Number(given)) ? `Provided value '${given}' for input '${name}' is not a number` : undefined,
  choice: (name, given, options) =>
    options.includes(given)
      ? undefined
      : `Provided value '${given}' for input '${name}' not in the list of allowed values`,
};
