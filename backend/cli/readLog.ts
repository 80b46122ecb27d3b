import { existsSync, statSync, watch } from 'node:fs'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** The log files of a directory, oldest first, as openLogFile rotates them. */
const logFilesOf = (dir: string): string[] =>
  ['.3', '.2', '.1', ''].map((age) => join(dir, `linnet.log${age}`)).filter((path) => existsSync(path))

/** The last `count` lines for which `matches` is true, from all files, in order. */
export async function readLastLines(
  dir: string,
  count: number,
  matches: (line: string) => boolean,
): Promise<string[]> {
  let lines: string[] = []
  for (const path of logFilesOf(dir).reverse()) {
    const text = await readFile(path, 'utf8')
    lines = text
      .split('\n')
      .filter((line) => line !== '' && matches(line))
      .concat(lines)
    if (lines.length >= count) break
  }
  return count === 0 ? [] : lines.slice(-count)
}

/**
 * Passes each new line to `onLine`, across log rotation, until `signal` aborts. The directory must exist. Also polls
 * once a second, for file systems that report no changes.
 */
export async function followLines(
  dir: string,
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<void> {
  const path = join(dir, 'linnet.log')
  let file: FileHandle | null = null
  let inode = -1
  let at = existsSync(path) ? statSync(path).size : 0
  let rest = ''

  const readAppended = async (): Promise<void> => {
    if (!file) return
    const bytes = Buffer.alloc(64 * 1024)
    for (;;) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      // Lines are decoded once they are complete, as a read may end within a multi-byte character.
      const lines = (rest + bytes.toString('latin1', 0, bytesRead)).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line !== '') onLine(Buffer.from(line, 'latin1').toString('utf8'))
    }
  }
  const poll = async (): Promise<void> => {
    await readAppended()
    const now = existsSync(path) ? statSync(path).ino : inode
    if (now === inode) return
    // Lines may have been written between the read and the rotation.
    await readAppended()
    await file?.close()
    if (inode !== -1) at = 0
    file = await open(path, 'r')
    inode = now
    await readAppended()
  }

  await poll()
  await new Promise<void>((resolve, reject) => {
    let polling = Promise.resolve()
    const schedulePoll = (): void => {
      polling = polling.then(poll).catch(reject)
    }
    const watcher = watch(dir, schedulePoll)
    // The timer continues to poll.
    watcher.on('error', () => watcher.close())
    const timer = setInterval(schedulePoll, 1_000)
    const end = (): void => {
      watcher.close()
      clearInterval(timer)
      polling.then(resolve, reject)
    }
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
  await (file as FileHandle | null)?.close()
}
