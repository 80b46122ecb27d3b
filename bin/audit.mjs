// Known vulnerabilities of the production dependencies: `.ci/run` runs it. It fails for an advisory that
// bin/acceptedAdvisories.json does not list, and for a listed one that npm no longer reports. An entry is
// `{ "advisory": "GHSA-…", "package": "name", "reason": "why it does not concern Linnet" }`. Without the registry's list of
// advisories nothing is checked, which a sentence reports: many networks provide packages alone.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * A report of `npm audit --json`, or its error, as far as it is used. An item of `via` that is a string names another package.
 * @typedef {{ name: string; url: string; title: string; severity: string; range: string }} Advisory
 * @typedef {{ vulnerabilities?: Record<string, { via: (string | Advisory)[] }>; message?: string }} Report
 * @typedef {{ advisory: string; package: string; reason: string }} Accepted
 */

/**
 * Compares a report with the accepted advisories.
 * @param {Report} report
 * @param {Accepted[]} accepted
 * @returns a sentence for each difference; null if the report has no result
 */
export function compareAdvisories(report, accepted) {
  if (report.vulnerabilities === undefined) return null
  const found = new Map()
  for (const { via } of Object.values(report.vulnerabilities)) {
    for (const one of via) {
      if (typeof one !== 'string') found.set(`${one.url.split('/').at(-1)} ${one.name}`, one)
    }
  }
  const listed = new Set(accepted.map((one) => `${one.advisory} ${one.package}`))
  return [
    ...[...found]
      .filter(([id]) => !listed.has(id))
      .map(([, one]) => `${one.name} ${one.range} (${one.severity}): ${one.title}, ${one.url}`),
    ...[...listed]
      .filter((id) => !found.has(id))
      .map((id) => `${id} is no longer reported: remove it from bin/acceptedAdvisories.json`),
  ]
}

/**
 * Parses the output of `npm audit --json`, which is empty if npm could not run.
 * @param {string} output
 * @returns {Report}
 */
export function parseReport(output) {
  try {
    return JSON.parse(output)
  } catch {
    return { message: output.trim().split('\n')[0] || 'npm printed nothing' }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--fetch-retries=1'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  const report = parseReport(error ? error.message : stdout)
  const accepted = JSON.parse(readFileSync(new URL('acceptedAdvisories.json', import.meta.url), 'utf8'))
  const problems = compareAdvisories(report, accepted)
  if (problems === null) {
    console.log(`The dependencies were not checked for known vulnerabilities: ${report.message}`)
  } else {
    for (const problem of problems) console.log(problem)
    if (problems.length === 0) console.log('No dependency has a known vulnerability that is not accepted.')
    else process.exitCode = 1
  }
}
