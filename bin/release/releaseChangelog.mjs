const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m

/**
 * Gives the changes that are not released yet a version and a date. Returns the new changelog and the section of the version;
 * null if the changelog lists no such changes.
 * @param {string} changelog
 * @param {string} version
 * @param {string} date
 */
export function releaseChangelog(changelog, version, date) {
  const changes = unreleased.exec(changelog)?.[1]?.trim()
  if (!changes) return null
  const section = `## ${version} (${date})\n\n${changes}\n`
  const isLast = !/^## /m.test(changelog.split(/^## Unreleased\n/m)[1] ?? '')
  return {
    changelog: changelog.replace(unreleased, () => `## Unreleased\n\n${section}${isLast ? '' : '\n'}`),
    section,
  }
}
