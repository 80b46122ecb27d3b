import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

export interface LogFile {
  /** Never waits and never throws; nothing happens once it is closed. */
  write(line: string): void
  /** Resolves once all lines are in the file, or were dropped. */
  close(): Promise<void>
}

interface LogFileOptions {
  /** Created if missing. Contains `linnet.log` and the rotated files `linnet.log.1` (newest) to `.3`. */
  dir: string
  /** Called once each time that lines begin to be dropped, with the reason. */
  onError: (reason: string) => void
  /** A file that would exceed this size is rotated; 8 MiB by default. */
  maxBytes?: number
}

const rotatedFiles = 3
/** Milliseconds for which lines are batched: the file is written a few times a second, however many requests there are. */
const gatherMs = 50
/** Characters that may wait for a slow disk; further lines are dropped and counted. */
const maxWaitingCharacters = 4 * 1024 * 1024

/**
 * Writes JSON lines to rotated files of bounded size that only their owner can read (mode 0600), in batches. A disk that
 * is full, slow or unmounted costs log lines and nothing else; the number of lost lines is logged once writing works
 * again.
 */
export function openLogFile({ dir, onError, maxBytes = 8 * 1024 * 1024 }: LogFileOptions): LogFile {
  const path = join(dir, 'linnet.log')
  let file: FileHandle | null = null
  let size = 0
  let waiting: string[] = []
  let waitingCharacters = 0
  let lost = 0
  /** The last write failed and may have left half a line. */
  let broken = false
  let writing: Promise<void> | null = null
  let closed = false
  /** Ends the wait for further lines. */
  let flushNow = (): void => {}

  const openFile = async (): Promise<FileHandle> => {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const opened = await open(path, 'a', 0o600)
    await opened.chmod(0o600)
    size = (await opened.stat()).size
    return opened
  }

  const rotate = async (): Promise<void> => {
    await file?.close()
    file = null
    await rm(`${path}.${rotatedFiles}`, { force: true })
    for (let age = rotatedFiles - 1; age >= 0; age--) {
      const from = age === 0 ? path : `${path}.${age}`
      if (await stat(from).catch(() => null)) await rename(from, `${path}.${age + 1}`)
    }
  }

  /** At most what fits into one file even if each character takes three bytes. */
  const takeBatch = (): string[] => {
    let characters = 0
    let count = 0
    while (count < waiting.length && (count === 0 || characters + waiting[count]!.length < maxBytes / 4)) {
      characters += waiting[count++]!.length + 1
    }
    waitingCharacters -= characters
    return waiting.splice(0, count)
  }

  const writeBatch = async (lines: string[]): Promise<void> => {
    const reported = lost
    if (reported > 0) lines.unshift(lossLine(reported))
    const bytes = Buffer.from(`${broken ? '\n' : ''}${lines.join('\n')}\n`)
    try {
      file ??= await openFile()
      if (size > 0 && size + bytes.length > maxBytes) {
        await rotate()
        file = await openFile()
      }
      await file.appendFile(bytes)
      size += bytes.length
      broken = false
      lost -= reported
    } catch (error) {
      if (!broken) onError((error as Error).message)
      lost += lines.length - (reported > 0 ? 1 : 0)
      broken = true
      // Reopened by the next write: the folder may have been removed and created again.
      await file?.close().catch(() => {})
      file = null
    }
  }

  const writeAll = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatherMs)
      flushNow = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    while (waiting.length > 0) await writeBatch(takeBatch())
    writing = null
  }

  return {
    write(line) {
      if (closed) return
      if (waitingCharacters > maxWaitingCharacters) {
        lost++
        return
      }
      waiting.push(line)
      waitingCharacters += line.length + 1
      writing ??= writeAll()
    },
    async close() {
      closed = true
      flushNow()
      await writing
      await file?.close().catch(() => {})
      file = null
    },
  }
}

function lossLine(lines: number): string {
  return JSON.stringify({
    time: new Date().toISOString(),
    level: 'warn',
    event: 'server.log_lines_lost',
    lines,
  })
}
