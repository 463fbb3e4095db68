/** Which files are a product's: neither of tests nor settings of tools. Pure. */

/** Where tests of any runner lie, and what lies with them. */
const OF_TESTS =
  /(^|\/)(?:tests?|testing|specs?|__tests__|__mocks__)\/|[._-](?:test|spec)\.[^/]*$|(^|\/)(?:test_[^/]*|conftest\.py)$/;
const OF_TOOLS = /\.config\.[cm]?[jt]s$/;

export function liesWithTests(file: string): boolean {
  return OF_TESTS.test(file);
}

export function isOfProduct(file: string): boolean {
  return !liesWithTests(file) && !OF_TOOLS.test(file);
}

/** Below other folders a document may be what the product is made of: a prompt, a template, a page. */
const PROSE = /^(?:docs?\/(?:[^/]+\/)*)?(?:[^/]+\.(?:md|mdx|markdown|rst|adoc)|LICEN[CS]E|NOTICE|AUTHORS|CODEOWNERS)$/i;
/** But for what jobs are run with. */
const OF_GITHUB = /^\.github\/(?!loopwright\.yml$|actions\/)/;

/** Whether what was proved may come out otherwise where this file is another: anything but documents, and what only GitHub reads. */
export function bearsOnProof(file: string): boolean {
  return !PROSE.test(file) && !OF_GITHUB.test(file);
}

/** Whether only people may write the file: GitHub refuses an App whatever brings it, a merge too. */
export function isForPeople(file: string): boolean {
  return file.startsWith('.github/workflows/');
}

/** Code of products, for rules that read lines. */
export const PRODUCT: RegExp = new RegExp(
  String.raw`^(?!.*(?:${OF_TESTS.source}|${OF_TOOLS.source})).*\.(?:py|[cm]?[jt]sx?)$`,
);
