import { existsSync, statSync, watch } from 'node:fs'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** Files of a folder of logs, the oldest first (as openLogFile keeps them). */
const agesOf = (dir: string): string[] =>
  ['.3', '.2', '.1', ''].map((age) => join(dir, `linnet.log${age}`)).filter((path) => existsSync(path))

/** The last `count` lines that `wanted` takes, over all files, in their order. */
export async function lastLines(
  dir: string,
  count: number,
  wanted: (line: string) => boolean,
): Promise<string[]> {
  let lines: string[] = []
  for (const path of agesOf(dir).reverse()) {
    const text = await readFile(path, 'utf8')
    lines = text
      .split('\n')
      .filter((line) => line !== '' && wanted(line))
      .concat(lines)
    if (lines.length >= count) break
  }
  return count === 0 ? [] : lines.slice(-count)
}

/**
 * Tells each line that is written from now on, over the change to a new file, until `signal` ends it. The folder
 * must exist. Where the system does not tell of changes, looks once a second.
 */
export async function followLines(
  dir: string,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  const path = join(dir, 'linnet.log')
  let file: FileHandle | null = null
  let inode = -1
  let at = existsSync(path) ? statSync(path).size : 0
  let rest = ''

  const readOn = async (): Promise<void> => {
    if (!file) return
    const bytes = Buffer.alloc(64 * 1024)
    for (;;) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      // One byte a character until a line is whole, so that none is cut in two.
      const lines = (rest + bytes.toString('latin1', 0, bytesRead)).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line !== '') tell(Buffer.from(line, 'latin1').toString('utf8'))
    }
  }
  const look = async (): Promise<void> => {
    await readOn()
    const now = existsSync(path) ? statSync(path).ino : inode
    if (now === inode) return
    // Lines may have been appended after the last read and before the file was replaced.
    await readOn()
    await file?.close()
    if (inode !== -1) at = 0
    file = await open(path, 'r')
    inode = now
    await readOn()
  }

  await look()
  await new Promise<void>((resolve, reject) => {
    let looking = Promise.resolve()
    const lookAgain = (): void => {
      looking = looking.then(look).catch(reject)
    }
    const watcher = watch(dir, lookAgain)
    // The timer goes on looking.
    watcher.on('error', () => watcher.close())
    const timer = setInterval(lookAgain, 1_000)
    const end = (): void => {
      watcher.close()
      clearInterval(timer)
      looking.then(resolve, reject)
    }
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
  await (file as FileHandle | null)?.close()
}
