/** An answer of a model that fits its schema, for tests of the door through which answers come. */
export const RELEASE = {
  title: 'Faster basket',
  notes: ['Baskets are added up once'],
  checklist: [{ item: 'watch the error rate', owner: 'ana' }],
  rollback: 'revert the merge',
  tag: 'v1.2.0',
};
