import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'

/** A lock that this process holds. The system releases it when the process ends, however it ends. */
export interface FileLock {
  release(): void
}

/** The exit code of `flock` for a lock that another process has. Other errors have other codes. */
const takenStatus = 75

/** `O_EXLOCK` of macOS, which Node does not name: `open` takes the lock of `flock`. */
const openWithLock = 0x20

/**
 * Takes the exclusive lock of the system (`flock`) on a file, which is created if it is missing. It belongs to the open file
 * and not to a time: a suspended process keeps it. It is valid for all processes of one machine that see the same file, also in
 * other containers.
 *
 * Node has no `flock`. On Linux, the program `flock` of util-linux locks an open file that it inherits, and the lock
 * stays when that program ends, since this process has the same file open.
 * @returns `taken` if another process has the lock, `unavailable` if the system or the file system has no such locks
 */
export function takeFileLock(path: string): FileLock | 'taken' | 'unavailable' {
  if (process.platform === 'darwin') return openLocked(path)
  const file = openSync(path, 'a', 0o600)
  const { status } = spawnSync('flock', ['-x', '-n', '-E', String(takenStatus), '3'], {
    stdio: ['ignore', 'ignore', 'ignore', file],
  })
  if (status === 0) return { release: () => closeSync(file) }
  closeSync(file)
  // Null where there is no such program.
  return status === takenStatus ? 'taken' : 'unavailable'
}

function openLocked(path: string): ReturnType<typeof takeFileLock> {
  const { O_CREAT, O_NONBLOCK, O_RDWR } = constants
  try {
    const file = openSync(path, O_RDWR | O_CREAT | O_NONBLOCK | openWithLock, 0o600)
    return { release: () => closeSync(file) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN' || code === 'EWOULDBLOCK') return 'taken'
    if (code === 'ENOTSUP' || code === 'EOPNOTSUPP') return 'unavailable'
    throw error
  }
}
