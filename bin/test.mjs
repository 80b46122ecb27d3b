// `npm test [-- unit|rules|acceptance|integration|browser] [words]`: installs what is missing, runs the tests, and ends
// with the line `N passed, N failed`. A known gap (a case that must fail) counts as passed while it fails.
// Without words it leaves out the second tier (tests/tiers.ts), and random tests and the permission matrix try a
// quarter of their cases.
// `npm run test:all` runs every file with all cases, the rules also on other versions of PostgreSQL, the journeys also in
// other browsers, and tests that depend on Node also in its newer supported versions.
// Browser tests use Chromium, or the engines in the words: `npm test -- browser firefox webkit`.
// The end lists, for each kind, the time of all files and the slowest ones; `npm test -- --times` prints the times of all
// files of the last run and runs nothing.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { ensureApp, ensureDependencies, ensureServer, requireNode, root } from './setup.mjs'
import { addJourneyTimes, clearTimes, describeTimes } from './testTimes.mjs'
import {
  engineNames,
  ensureChromium,
  ensureEngines,
  ensureHeadlessShell,
  ensureNodes,
  ensureOtherPostgres,
  ensurePebble,
} from './testPrograms.mjs'

const kinds = ['unit', 'rules', 'acceptance', 'integration', 'browser']
const isAll = process.argv.includes('--all')
const args = process.argv.slice(2).filter((arg) => arg !== '--all')
const chosen = kinds.filter((kind) => args[0] === kind || !kinds.includes(args[0] ?? ''))
if (chosen.length === 1) args.shift()
const words = args
const isFirstTier = !isAll && words.length === 0

if (process.argv.includes('--times')) {
  console.log(describeTimes(true).join('\n') || 'No tests have run yet.')
  process.exit()
}

requireNode()
await ensureDependencies()
await ensureServer()
await ensureApp()

/**
 * Creates the temporary directory of the tests, in memory if Linux provides enough: they create a hundred databases, and
 * each commit would wait for the disk. The name is short, since paths of sockets below it are limited. Removes
 * directories of killed runs.
 */
function createFastTempDir() {
  const memory = '/dev/shm'
  try {
    for (const name of readdirSync(memory)) {
      const pid = /^linnet-(\d+)$/.exec(name)?.[1]
      if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true })
    }
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < 6 * 2 ** 30) return tmpdir()
    const folder = join(memory, `linnet-${process.pid}`)
    mkdirSync(folder)
    // PostgreSQL runs as another user, which needs access like to /tmp.
    chmodSync(folder, 0o1777)
    return folder
  } catch {
    return tmpdir()
  }
}

const tempDir = createFastTempDir()
process.on('exit', () => {
  if (tempDir !== tmpdir()) rmSync(tempDir, { recursive: true, force: true })
})
const reports = mkdtempSync(join(tmpdir(), 'linnet-test-'))
/** Databases that each runner would fill again otherwise: `copyTemplate`. */
const templates = mkdtempSync(join(tempDir, 'linnet-template-'))
// Started as root, PostgreSQL runs as another user, who needs access.
chmodSync(templates, 0o755)
process.on('exit', () => rmSync(templates, { recursive: true, force: true }))
/** Transformed modules, which each project and each version of Node would transform again. New for each run, so never stale. */
const modules = mkdtempSync(join(tempDir, 'linnet-modules-'))
process.on('exit', () => rmSync(modules, { recursive: true, force: true }))
clearTimes()
let passed = 0
let failed = 0
/** What failed and why, repeated before the last line: a reader may have only the end of the output. */
const failures = []

/** Settings of the tests that this run leaves out or shortens. */
const tier = isFirstTier ? { LINNET_TIER: 'first', LINNET_RUNS: process.env.LINNET_RUNS ?? '0.25' } : {}

/** A program that a test of `npm run test:all` needs, or null if it could not be installed: only CI requires it. */
const countMissing = (/** @type {string | null} */ program) => {
  if (program === null && process.env.CI) failed += 1
}

/**
 * Runs a package's command in this version of Node, or in the one at `node`, and waits until it ends.
 * @param {string} file
 * @param {string[]} argv
 * @param {Record<string, string>} env
 * @returns {Promise<{ code: number, errors: string }>} the exit code, and the end of what it wrote to standard error
 */
function run(file, argv, env = {}, node = process.execPath) {
  return new Promise((resolve) => {
    const child = spawn(node, [join(root, 'node_modules', file), ...argv], {
      cwd: root,
      stdio: ['inherit', 'inherit', 'pipe'],
      // With NODE_ENV=production of the shell, libraries would omit their checks.
      env: { ...process.env, NODE_ENV: 'test', TMPDIR: tempDir, LINNET_TEMPLATE: templates, ...tier, ...env },
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      process.stderr.write(text)
      errors = (errors + text).slice(-6000)
    })
    child.on('close', (code) => resolve({ code: code ?? 1, errors }))
  })
}

/**
 * A runner that fails without a report counts as one failure, and so does one that fails though no test of it failed: by
 * an error that no test caught, or while it stopped a server.
 * @param {string} report
 * @param {{ code: number, errors: string }} end
 * @param {(report: any) => void} read
 */
function count(report, { code, errors }, read) {
  const before = failed
  if (existsSync(report)) read(JSON.parse(readFileSync(report, 'utf8')))
  else failed += 1
  if (code !== 0 && failed === before) {
    failed += 1
    const lines = stripVTControlCharacters(errors).trim().split('\n').slice(-60)
    failures.push(
      `the runner of ${basename(report, '.json')} ended with code ${code} though no test failed:\n    ${lines.join('\n    ')}`,
    )
  }
}

/** The beginning of an error's text, indented. */
function beginningOf(error = '') {
  const lines = stripVTControlCharacters(error).split('\n', 12)
  return lines.map((line) => `\n    ${line.slice(0, 200)}`).join('')
}

/**
 * The failed tests in a report of Vitest, with their files and errors; a file that didn't load has no tests.
 * @param {import('vitest/reporters').JsonTestResults} report
 */
function failedTests({ testResults }) {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const tests = assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => fullName + beginningOf(failureMessages?.[0]))
      return (tests.length > 0 ? tests : [message]).map((test) => `${relative(root, name)}: ${test}`)
    })
}

/**
 * The journeys in a suite of Playwright's report that failed, with their errors.
 * @param {import('@playwright/test/reporter').JSONReportSuite} suite
 * @returns {string[]}
 */
function failedJourneys({ suites = [], specs, file }) {
  const own = specs
    .filter(({ ok }) => !ok)
    .map(({ title, tests }) => {
      const error = tests[0]?.results[0]?.error
      // The place is where the journey waited, which the message of an expired wait does not say.
      const place = error?.location ? ` (line ${error.location.line})` : ''
      return `tests/browser/${file}${place}: ${title}${beginningOf(error?.message)}`
    })
  return [...own, ...suites.flatMap((inner) => failedJourneys(inner))]
}

/**
 * Runs these tests in Vitest, in the Node at `node`, and counts them.
 * @param {string[]} projects
 * @param {string[]} named words that select files
 * @param {string} node
 * @param {string} name of the run
 */
async function runVitest(projects, named, node, name) {
  const report = join(reports, `${name}.json`)
  const end = await run(
    'vitest/vitest.mjs',
    [
      'run',
      ...projects.flatMap((project) => ['--project', `${project}*`]),
      ...named,
      '--passWithNoTests',
      '--experimental.fsModuleCache=true',
      `--experimental.fsModuleCachePath=${modules}`,
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(root, 'bin/testTimes.mjs')}`,
      `--outputFile.json=${report}`,
    ],
    {
      LINNET_KIND_SUFFIX: node === process.execPath ? '' : `, ${name}`,
      LINNET_OTHER_POSTGRES: otherPostgres
        .filter(({ folder }) => folder !== null)
        .map(({ version, folder }) => `${version}=${folder}`)
        .join(' '),
    },
    node,
  )
  count(report, end, (result) => {
    passed += result.numPassedTests
    failed += result.numFailedTests
    failures.push(...failedTests(result))
  })
}

const needsOtherPostgres =
  (isAll && chosen.includes('rules')) ||
  ['majorVersion', 'archiveOnHosted'].some((word) => words.includes(word))
const otherPostgres = needsOtherPostgres ? ensureOtherPostgres() : []
for (const { folder } of otherPostgres) countMissing(folder)

const certificateTests = 'tests/integration/startup/certificates.test.ts'
if (chosen.includes('integration') && (isAll || words.some((word) => certificateTests.includes(word))))
  ensurePebble()

const projects = chosen.filter((kind) => kind !== 'browser')
if (projects.length > 0) await runVitest(projects, words, process.execPath, 'vitest')

/** Tests that depend on the version of Node: native modules, processes, the command line, and the client library. */
const nodeTests = [
  'backend/auth/passwords/',
  'backend/functions/',
  'backend/gateway/',
  'backend/postgres/server/',
  'backend/optional/thumbnails/',
  'integration/functions/running',
  'integration/gateway/gateway',
  'integration/gateway/tls',
  'integration/projects/chat',
  'integration/startup/start',
  'integration/storage/responses/render',
]

if (isAll && chosen.includes('integration')) {
  for (const { version, node } of ensureNodes()) {
    countMissing(node)
    if (node !== null) await runVitest(['unit', 'integration'], nodeTests, node, `node-${version}`)
  }
}

if (chosen.includes('browser')) {
  const engines = engineNames.filter((name) => isAll || words.includes(name))
  const needsChromium =
    engines.length === 0 || isAll || words.some((word) => !word.startsWith('-') && !engines.includes(word))
  const chromium = needsChromium ? ensureChromium() : ''
  if (chromium === null) failed += 1
  else {
    const report = join(reports, 'playwright.json')
    // Playwright compares words with whole paths, which contain the name of the checkout.
    const paths = words.map((word) => (word.startsWith('-') ? word : `tests/browser/.*${word}`))
    const end = await run('@playwright/test/cli.js', ['test', ...paths, '--pass-with-no-tests'], {
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      LINNET_CHROMIUM: chromium,
      LINNET_HEADLESS_SHELL: chromium && ensureHeadlessShell(chromium),
      LINNET_ENGINES: ensureEngines(engines).join(' '),
    })
    count(report, end, (result) => {
      const { stats, suites } = result
      passed += stats.expected
      failed += stats.unexpected
      failures.push(...suites.flatMap((/** @type {any} */ suite) => failedJourneys(suite)))
      addJourneyTimes(result)
    })
  }
}

// With a mistyped name everything would seem to pass.
if (passed + failed === 0) {
  failed = 1
  failures.push(`no test of the chosen kind matches ${words.join(' ')}`)
}
rmSync(reports, { recursive: true, force: true })
for (const line of describeTimes(false)) console.log(line)
for (const failure of failures) console.log(`Failed: ${failure}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
