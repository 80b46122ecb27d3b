import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

export interface LogFile {
  /** Never waits and never throws; nothing happens once it is closed. */
  write(line: string): void
  /** Resolves once all that was written is in the file, or given up. */
  close(): Promise<void>
}

interface LogFileOptions {
  /** Made where it is missing. Holds `linnet.log` and, older and older, `linnet.log.1`, `.2`, `.3`. */
  dir: string
  /** Told once each time that lines begin to be lost, with the reason. */
  onError: (reason: string) => void
  /** A file that would grow beyond so many bytes makes room for a new one; 8 MiB unless said. */
  maxBytes?: number
}

const rotatedFiles = 3
/** Milliseconds for which lines gather: a file is written a few times a second, however many requests there are. */
const gatherMs = 50
/** Characters that may wait for a slow disk; what comes on top is counted and lost. */
const mostWaiting = 4 * 1024 * 1024

/**
 * JSON lines in files of bounded size, for the owner's eyes alone (mode 0600). Lines that come close together are
 * written together. A disk that is full, slow or gone costs lines and nothing else: how many were lost is
 * written as soon as something can be.
 */
export function openLogFile({ dir, onError, maxBytes = 8 * 1024 * 1024 }: LogFileOptions): LogFile {
  const path = join(dir, 'linnet.log')
  let file: FileHandle | null = null
  let size = 0
  let waiting: string[] = []
  let waitingCharacters = 0
  let lost = 0
  /** A write that broke off may have left half a line. */
  let broken = false
  let writing: Promise<void> | null = null
  let closed = false
  /** Ends the gathering. */
  let hurry = (): void => {}

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

  /** No more than fits into one file even where each character takes three bytes. */
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
    const said = lost
    if (said > 0) lines.unshift(lossLine(said))
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
      lost -= said
    } catch (error) {
      if (!broken) onError((error as Error).message)
      lost += lines.length - (said > 0 ? 1 : 0)
      broken = true
      // Opened anew next time: the folder may have been taken away and come back.
      await file?.close().catch(() => {})
      file = null
    }
  }

  const writeAll = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatherMs)
      hurry = () => {
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
      if (waitingCharacters > mostWaiting) {
        lost++
        return
      }
      waiting.push(line)
      waitingCharacters += line.length + 1
      writing ??= writeAll()
    },
    async close() {
      closed = true
      hurry()
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
    event: 'log lines lost',
    lines,
  })
}
