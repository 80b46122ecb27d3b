// Makes a release: `npm run release -- 0.2.0`. It tests the checkout, sets the version, dates the changelog, builds the
// package, writes it with its checksums to dist/release, commits and tags. It publishes nothing: it prints the commands
// that do. `--dry-run` neither tests nor commits, and leaves the checkout as it was. `--skip-tests` is for a commit that
// has passed them elsewhere.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureDependencies, fail, print, requireNode, root } from './setup.mjs'
import { releaseChangelog } from './release/releaseChangelog.mjs'

/** The files that a release changes. */
const changed = ['package.json', 'package-lock.json', 'CHANGELOG.md']

const outDir = join(root, 'dist/release')

const read = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8')

/** Runs a program in the checkout and returns its output. Throws if it fails. */
function run(/** @type {string} */ program, /** @type {string[]} */ ...args) {
  const { status, stdout } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    maxBuffer: 2 ** 26,
  })
  if (status !== 0) throw new Error(`"${program} ${args.join(' ')}" failed: see its output above.`)
  return stdout.trim()
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean' }, 'skip-tests': { type: 'boolean' } },
    })
    const [version = ''] = positionals
    if (positionals.length === 1)
      return { version, dryRun: values['dry-run'], skipTests: values['skip-tests'] }
  } catch {
    // The usage below states what is accepted.
  }
  return fail('Usage: npm run release -- VERSION [--dry-run] [--skip-tests]')
}

/**
 * Ends the process with a sentence unless this version can be released from this checkout.
 * @param {string} version
 */
async function requireReleasable(version) {
  const { default: semver } = await import('semver')
  const { version: current } = JSON.parse(read('package.json'))
  if (semver.valid(version) !== version) fail(`"${version}" is no version, such as 0.2.0 or 0.2.0-beta.1.`)
  if (semver.lt(version, current)) fail(`${version} is older than ${current}, the version of this checkout.`)
  if (run('git', 'tag', '--list', `v${version}`) !== '')
    fail(`There is a tag v${version} already. Choose another version.`)
  if (run('git', 'status', '--porcelain') !== '')
    fail('The checkout has changes that are not committed. Commit them, or run "git stash -u".')
}

/**
 * Sets the version, dates the changelog and writes everything to publish into `outDir`.
 * @param {string} version
 * @param {{ changelog: string; section: string }} released
 */
async function writeRelease(version, released) {
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts')
  writeFileSync(join(root, 'CHANGELOG.md'), released.changelog)
  const { createPackage } = await import('./pack/createPackage.mjs')
  rmSync(outDir, { recursive: true, force: true })
  mkdirSync(outDir, { recursive: true })
  const { file } = await createPackage(outDir)
  writeFileSync(join(outDir, 'CHANGES.md'), released.section)
  copyFileSync(join(root, 'dist/app/THIRD-PARTY-NOTICES.txt'), join(outDir, 'THIRD-PARTY-NOTICES.txt'))
  const sums = [basename(file), 'CHANGES.md', 'THIRD-PARTY-NOTICES.txt'].map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(outDir, name)))
      .digest('hex')
    return `${sum}  ${name}\n`
  })
  writeFileSync(join(outDir, 'SHA256SUMS'), sums.join(''))
  return file
}

requireNode()
const { version, dryRun, skipTests } = readArguments()
await ensureDependencies()
await requireReleasable(version)
const released = releaseChangelog(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10))
if (released === null)
  fail('CHANGELOG.md lists no changes below "## Unreleased". Describe the changes first.')
if (!dryRun && !skipTests) {
  const { status } = spawnSync(join(root, '.ci/run'), { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) fail('The tests failed: see the output above. Nothing was changed.')
}
const originals = changed.map((file) => ({ file, text: read(file) }))
let isCommitted = false
// Also after a failed build, which ends the process, and after Ctrl-C.
process.once('exit', () => {
  if (isCommitted) return
  for (const { file, text } of originals) writeFileSync(join(root, file), text)
  print('Nothing was committed, and the version is as before.')
})
process.once('SIGINT', () => process.exit(130))
try {
  const file = await writeRelease(version, released)
  print(`${relative(root, outDir)} contains:\n${readFileSync(join(outDir, 'SHA256SUMS'), 'utf8')}`)
  if (!dryRun) {
    run('git', 'commit', '--quiet', '--message', `release: version ${version}`, '--', ...changed)
    isCommitted = true
    run('git', 'tag', '--annotate', `v${version}`, '--message', `Linnet ${version}`)
    print(`Committed and tagged as v${version}. These commands publish it:`)
    print(`git push origin HEAD v${version}\nnpm publish ./${relative(root, file)}`)
  }
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
