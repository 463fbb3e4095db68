/** Comments that keep linters, type checkers and tools of coverage quiet. Pure. */

const BY_LANGUAGE = {
  script:
    /\/[/*]\s*(?:eslint-disable|eslint\s+[\w@/-]+\s*:\s*\[?\s*["']?(?:0|off)\b|biome-ignore|oxlint-disable|tslint:disable|@ts-(?:ignore|nocheck|expect-error)\b|jshint\s+ignore|jscs:disable|istanbul ignore|c8 ignore|v8 ignore|node:coverage (?:ignore|disable)|\$FlowFixMe|\$FlowIgnore)/,
  python:
    /#\s*(?:noqa\b|type:\s*ignore\b|pyright:\s*(?:ignore|basic\b)|mypy:\s*(?:ignore|disable)|pylint:\s*(?:disable|skip-file)\b|pragma:\s*no\s*(?:cover|branch)\b|ruff:\s*noqa\b|flake8:\s*noqa\b|nosec\b)/i,
} as const;

/** Whether a comment, or a line with one, does so. */
export function isSilencing(text: string, language: keyof typeof BY_LANGUAGE): boolean {
  return BY_LANGUAGE[language].test(text);
}
