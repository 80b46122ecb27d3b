import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isAlive, processIdentity, pidNamespace } from './processIdentity.ts'
import { StartError } from './StartError.ts'

/** Who holds a data folder. */
interface Holder {
  pid: number
  /** Of the process: see processIdentity. */
  identity: string | null
  host: string
  space: string
  /** ISO 8601. */
  since: string
  url: string | null
}

export interface DataLock {
  /** Says where the holder serves, for whoever finds the folder held. */
  recordUrl(url: string): void
  release(): void
}

/** A holder in another container or on another machine shows that it lives by touching the lock. */
const heartbeatIntervalMs = 2_000
const heartbeatTimeoutMs = 5_000

/**
 * Takes the data folder for this process, so that no second server works on the same data. A lock that its
 * holder can't hold any more (killed, its process id reused, its container gone) is taken over.
 * Throws StartError that says who holds it.
 * @param dataDir absolute
 * @param onLost called once, when the lock turns out to be another's: this process was suspended for longer than a holder
 *   may be silent
 */
export async function lockData(dataDir: string, onLost: () => void = () => {}): Promise<DataLock> {
  const file = join(dataDir, 'linnet.lock')
  const holder: Holder = {
    pid: process.pid,
    identity: processIdentity(process.pid),
    host: hostname(),
    space: pidNamespace(),
    since: new Date().toISOString(),
    url: null,
  }
  while (!create(file, holder)) {
    const found = read(file)
    if (found && (await isHolderAlive(file, found))) throw lockedError(dataDir, found)
    removeStaleLock(file, found)
  }
  const heartbeat = setInterval(() => {
    if (!isLost(file, holder)) return touch(file)
    clearInterval(heartbeat)
    onLost()
  }, heartbeatIntervalMs)
  heartbeat.unref()
  return {
    recordUrl(url) {
      if (isLost(file, holder)) return
      holder.url = url
      writeFileSync(`${file}.new`, render(holder), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
    release() {
      clearInterval(heartbeat)
      if (!isLost(file, holder)) rmSync(file, { force: true })
    },
  }
}

/** Whether another process holds the lock that this holder has taken. */
function isLost(file: string, holder: Holder): boolean {
  const found = read(file)
  if (found === null) return false
  return (['pid', 'identity', 'host', 'space', 'since'] as const).some((key) => found[key] !== holder[key])
}

function render(holder: Holder): string {
  return `${JSON.stringify(holder)}\n`
}

/** False where somebody has one already. */
function create(file: string, holder: Holder): boolean {
  try {
    writeFileSync(file, render(holder), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** Null where there is none, or what is there was never finished. */
function read(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder
  } catch {
    return null
  }
}

/** Whether the process lives that took the lock, rather than a later one with its id. */
function isSameProcess({ pid, identity }: Holder): boolean {
  return isAlive(pid) && processIdentity(pid) === identity
}

/** Whether the process with this id, of this machine and container, holds the lock of the data. */
export function isLockedBy(dataDir: string, pid: number): boolean {
  const found = read(join(dataDir, 'linnet.lock'))
  return found !== null && found.pid === pid && isSameProcess(found)
}

async function isHolderAlive(file: string, found: Holder): Promise<boolean> {
  if (found.host === hostname() && found.space === pidNamespace()) return isSameProcess(found)
  const seen = touchedAt(file)
  for (let waited = 0; waited < heartbeatTimeoutMs; waited += 100) {
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
    const now = touchedAt(file)
    if (now === null) return false
    if (now !== seen) return true
  }
  return false
}

function touchedAt(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null
}

function touch(file: string): void {
  try {
    const now = new Date()
    utimesSync(file, now, now)
  } catch {
    // Someone has removed the folder under us; PostgreSQL will say so louder.
  }
}

/** Removes a stale lock, unless another start has just replaced it by its own. */
function removeStaleLock(file: string, stale: Holder | null): void {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  const moved = read(aside)
  if (stale && moved && moved.since !== stale.since && !existsSync(file)) renameSync(aside, file)
  else rmSync(aside, { force: true })
}

function lockedError(dataDir: string, { pid, host, url, since }: Holder): StartError {
  const where = host === hostname() ? '' : ` on ${host}`
  return new StartError(
    `${dataDir} is in use: Linnet${url ? ` at ${url}` : ''} (process ${pid}${where}, since ${since}) holds it. ` +
      'Stop that one first, or choose another folder with --data.',
  )
}
