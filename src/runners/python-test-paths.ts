/** What lies beside tests: data, helpers. */
export const PYTHON_SUPPORT: readonly RegExp[] = [/(^|\/)(test|tests)\//];

/** Where Python's test runners look for tests. */
export const pythonTestPaths: readonly RegExp[] = [
  /(^|\/)(test|tests)\/([^/]+\/)*[^/]+\.py$/,
  /(^|\/)(test_[^/]*|[^/]*_test)\.py$/,
];
