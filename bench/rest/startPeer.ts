import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../backend/postgres/server/findFreePort.ts'
import { endWithThisProcess } from '../../tests/support/server.ts'
import { writePlainSchema } from './plainSchema.ts'

export interface Peer {
  url: string
  /** Its API key for callers who have a token of their own. */
  key: string
  end(): Promise<void>
}

const KEY = 'sb_publishable_benchbenchbenchbenchbe_benchben'

/** Installs the lock file of bench/peer where needed. Returns whether it is installed. */
function install(dir: string): boolean {
  const lock = createHash('sha256')
    .update(readFileSync(join(dir, 'package-lock.json')))
    .digest('hex')
  const mark = join(dir, 'node_modules', '.lock')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return true
  process.stderr.write('Installing the peer to compare with…\n')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status } = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: dir,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) return false
  writeFileSync(mark, lock)
  return true
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}

/**
 * The official embedded backend in a process of its own, as its documentation recommends for what should behave
 * like production: `lite start` on a migrated folder, on PGlite, the one of its embedded databases that knows
 * functions. Returns null, with a sentence on stderr, where it can't be installed.
 */
export async function startPeer(root: string, jwtSecret: string): Promise<Peer | null> {
  const dir = join(root, 'bench', 'peer')
  if (!install(dir)) {
    process.stderr.write(
      'The peer, @supabase/lite, could not be installed; the output of npm above has the reason. The table omits it.\n',
    )
    return null
  }
  const project = mkdtempSync(join(tmpdir(), 'linnet-peer-'))
  const port = await findFreePort()
  const config = `[api]\nport = ${port}\n
[db]\ndriver = "pglite"\nurl = "supabase/.temp/data"\n
[auth]\nenabled = true\njwt_secret = "${jwtSecret}"\npublishable_key = "${KEY}"\n`
  writePlainSchema(join(project, 'supabase'), config)
  const command = [join(dir, 'node_modules/@supabase/lite/dist/cli/index.js'), '--no-telemetry']
  const migrated = spawnSync(process.execPath, [...command, 'migration', 'up'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (migrated.status !== 0)
    throw new Error('The peer did not apply the migration; its output above has the reason.')
  const child = spawn(process.execPath, [...command, 'start', '--no-admin'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  endWithThisProcess(child)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error('The peer ended before it was ready.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    url,
    key: KEY,
    async end() {
      child.kill('SIGTERM')
      await ended
      rmSync(project, { recursive: true, force: true })
    },
  }
}
