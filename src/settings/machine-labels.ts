/** Labels of the machines that jobs run on: read from what somebody wrote, and put into a workflow. Pure. */

/** A label as GitHub takes them for its own machines and for others'. */
const LABEL = /^[A-Za-z0-9_][\w.-]{0,99}$/;

/** Those of a list with commas between, or the first that is none. */
export function labelsIn(text: string): { readonly labels: readonly string[] } | { readonly wrong: string } {
  const labels = text.split(',').map((label) => label.trim());
  const wrong = labels.find((label) => !LABEL.test(label));
  return wrong === undefined ? { labels } : { wrong };
}

/** The workflow with its jobs on machines that have all of the labels; without labels as it is. */
export function onMachines(workflow: string, labels: readonly string[] | undefined): string {
  if (labels === undefined) return workflow;
  const [only, ...more] = labels;
  return workflow.replaceAll(/^( +runs-on:).*$/gm, `$1 ${more.length === 0 ? only : `[${labels.join(', ')}]`}`);
}
