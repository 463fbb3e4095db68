/** Where Python's test runners look for tests. */
export const pythonTestPaths: readonly RegExp[] = [
  /(^|\/)(test|tests)\/([^/]+\/)*[^/]+\.py$/,
  /(^|\/)(test_[^/]*|[^/]*_test)\.py$/,
];
