// How long the files of the last test run took. Vitest loads this module as a reporter, which appends the times of its files.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './setup/checkout.mjs'

/** One line of JSON for each file: `{ kind, file, ms }`. */
const timesFile = join(root, 'dist', 'test-times.jsonl')

/** Number of files of each kind that a run lists at its end. */
const listedFiles = 15

/** Removes the times of the previous run. */
export function clearTimes() {
  mkdirSync(dirname(timesFile), { recursive: true })
  writeFileSync(timesFile, '')
}

/**
 * Adds the time that a test file took, in milliseconds.
 * @param {string} kind
 * @param {string} file
 * @param {number} ms
 */
export function addTime(kind, file, ms) {
  appendFileSync(timesFile, `${JSON.stringify({ kind, file, ms: Math.round(ms) })}\n`)
}

/**
 * Adds the times of the journeys in a report of Playwright.
 * @param {import('@playwright/test/reporter').JSONReport} report
 */
export function addJourneyTimes({ suites }) {
  /** @type {(suite: import('@playwright/test/reporter').JSONReportSuite) => number} */
  const total = ({ specs, suites: inner = [] }) => {
    let sum = 0
    for (const { tests } of specs)
      for (const { results } of tests) for (const { duration } of results) sum += duration
    for (const suite of inner) sum += total(suite)
    return sum
  }
  for (const suite of suites) addTime('browser', `tests/browser/${suite.file}`, total(suite))
}

const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(1)} s`.padStart(9)

/**
 * Describes the last run, a kind at a time: the sum of its files' times, which exceeds the wall time where files run
 * concurrently, and its slowest files, or all of them.
 * @param {boolean} all
 */
export function describeTimes(all) {
  /** @type {{ kind: string, file: string, ms: number }[]} */
  const times = existsSync(timesFile)
    ? readFileSync(timesFile, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []
  const lines = []
  for (const kind of new Set(times.map((time) => time.kind))) {
    const files = times.filter((time) => time.kind === kind).sort((a, b) => b.ms - a.ms)
    const sum = files.reduce((total, { ms }) => total + ms, 0)
    lines.push(`${seconds(sum)}  ${kind}, ${files.length} files`)
    for (const { file, ms } of all ? files : files.slice(0, listedFiles))
      lines.push(`${seconds(ms)}    ${file}`)
  }
  return lines
}

/** A reporter of Vitest. The time of a file includes its imports and hooks; `LINNET_KIND_SUFFIX` names the run. */
export default class TimesReporter {
  onTestModuleEnd(/** @type {import('vitest/node').TestModule} */ testModule) {
    const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
      testModule.diagnostic()
    addTime(
      testModule.project.name + (process.env.LINNET_KIND_SUFFIX ?? ''),
      relative(root, testModule.moduleId),
      environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration,
    )
  }
}
