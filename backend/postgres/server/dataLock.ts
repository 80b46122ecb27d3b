import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { takeFileLock } from './fileLock.ts'
import { isAlive, processIdentity, pidNamespace } from './processIdentity.ts'
import { StartError } from './StartError.ts'

/** The process that holds a lock. */
export interface LockHolder {
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
  /** Records the URL of the holder, for the error message of a second start. */
  recordUrl(url: string): void
  release(): void
}

/** A holder whose system lock this process cannot see touches the lock file to show that it is alive. */
const heartbeatIntervalMs = 2_000
const heartbeatTimeoutMs = 5_000

/**
 * Locks the data folder for this process, so that no second server uses the same data. The lock has two parts: a lock of the
 * system on `linnet.flock`, which a suspended process keeps, and `linnet.lock`, which names the holder and which the holder
 * touches. The second part alone counts where processes do not see each other's system locks. A stale lock (holder killed,
 * its process id reused, its container removed) is taken over. Throws StartError that names the holder. Decision 92 has the
 * reasons.
 * @param dataDir absolute
 * @param onLost called once, when another process has taken over the lock: this one was suspended for longer than
 *   `heartbeatTimeoutMs`, and the other one does not see its system lock
 */
export function lockData(dataDir: string, onLost: () => void = () => {}): Promise<DataLock> {
  return acquireLock(join(dataDir, 'linnet.lock'), (holder) => lockedError(dataDir, holder), onLost)
}

/** Runs `work` while no server can start on the data. Throws StartError if one runs. */
export async function withLockedData<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockData(dataDir)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/**
 * Creates a lock file for this process beside a lock of the system on a file whose name ends in `flock`, or takes over a
 * stale one.
 * @param file its name ends in `lock`
 * @param toError the error to throw where another process holds the lock. The holder is null for a moment of its start or
 *   end.
 */
export async function acquireLock(
  file: string,
  toError: (holder: LockHolder | null) => Error,
  onLost: () => void = () => {},
): Promise<DataLock> {
  const holder: LockHolder = {
    pid: process.pid,
    identity: processIdentity(process.pid),
    host: hostname(),
    space: pidNamespace(),
    since: new Date().toISOString(),
    url: null,
  }
  const systemLock = takeFileLock(file.replace(/lock$/, 'flock'))
  if (systemLock === 'taken') throw toError(read(file))
  const releaseSystemLock = (): void => {
    if (systemLock !== 'unavailable') systemLock.release()
  }
  try {
    while (!create(file, holder)) {
      const found = read(file)
      if (found && (await isHolderAlive(file, found))) throw toError(found)
      removeStaleLock(file, found)
    }
  } catch (error) {
    releaseSystemLock()
    throw error
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
      try {
        writeFileSync(`${file}.new`, render(holder), { mode: 0o600 })
        renameSync(`${file}.new`, file)
      } catch {
        // The disk is full. The file keeps its content without the URL, which only the message of a second start needs.
      }
    },
    release() {
      clearInterval(heartbeat)
      try {
        if (!isLost(file, holder)) rmSync(file, { force: true })
      } catch {
        // The file system refuses it. The next start takes over the lock of an ended process.
      }
      releaseSystemLock()
    },
  }
}

/** Whether another process holds the lock now. */
function isLost(file: string, holder: LockHolder): boolean {
  const found = read(file)
  if (found === null) return false
  return (['pid', 'identity', 'host', 'space', 'since'] as const).some((key) => found[key] !== holder[key])
}

function render(holder: LockHolder): string {
  return `${JSON.stringify(holder)}\n`
}

/** False where the file exists already. */
function create(file: string, holder: LockHolder): boolean {
  try {
    writeFileSync(file, render(holder), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** Null where there is no lock file, or it was never completed. */
function read(file: string): LockHolder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockHolder
  } catch {
    return null
  }
}

/** Whether the process that took the lock is alive, and not a later one with the same id. */
function isSameProcess({ pid, identity }: LockHolder): boolean {
  return isAlive(pid) && processIdentity(pid) === identity
}

/** Whether the process with this id, of this machine and container, holds the lock of the data. */
export function isLockedBy(dataDir: string, pid: number): boolean {
  const found = read(join(dataDir, 'linnet.lock'))
  return found !== null && found.pid === pid && isSameProcess(found)
}

/**
 * Whether a server holds the lock of the data, as far as a look at the file shows: for a server in another container or on
 * another machine, whether it touched the file a moment ago.
 */
export function isLocked(dataDir: string, now: number = Date.now()): boolean {
  const file = join(dataDir, 'linnet.lock')
  const found = read(file)
  if (found === null) return false
  if (found.host === hostname() && found.space === pidNamespace()) return isSameProcess(found)
  const touched = touchedAt(file)
  return touched !== null && now - touched < 2 * heartbeatTimeoutMs
}

/** Whether a living process of this machine and container holds the lock. */
export function isFileLocked(file: string): boolean {
  const found = read(file)
  return found !== null && isSameProcess(found)
}

async function isHolderAlive(file: string, found: LockHolder): Promise<boolean> {
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
    // The folder was removed; PostgreSQL reports that.
  }
}

/** Removes a stale lock, unless another process has just replaced it. */
function removeStaleLock(file: string, stale: LockHolder | null): void {
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

function lockedError(dataDir: string, holder: LockHolder | null): StartError {
  // Null for a moment of its start or end.
  const who =
    holder === null
      ? 'another Linnet'
      : `Linnet${holder.url ? ` at ${holder.url}` : ''} (process ${holder.pid}` +
        `${holder.host === hostname() ? '' : ` on ${holder.host}`}, since ${holder.since})`
  return new StartError(`${dataDir} is in use: ${who}. Stop it first, or choose another folder with --data.`)
}
