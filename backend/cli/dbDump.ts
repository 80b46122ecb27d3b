import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StartError } from '../postgres/server/StartError.ts'
import { defineCommand } from './Command.ts'
import { clientEnvironment } from './clientEnvironment.ts'
import { findClient } from './findClient.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'
import { createProgress, renderSize } from './progress.ts'
import { readDataVersion } from '../postgres/majorVersion/switchData.ts'

/** Runs pg_dump with its output on stdout, and returns its exit code. */
async function dumpToStdout(path: string, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(path, args, { stdio: ['ignore', 'inherit', 'inherit'], env })
  const [code] = (await once(child, 'close')) as [number | null]
  return code ?? 1
}

/** Writes the output of pg_dump to a file that only its owner can read; the file appears when it is complete. */
async function dumpToFile(
  path: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  out: string,
): Promise<number> {
  const partial = `${out}.partial`
  const progress = createProgress({ stream: process.stderr, format: 'text' })
  progress.step('Dumping the database')
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  // pg_dump prints its warnings and errors on stderr.
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.trimEnd().split('\n')) progress.print(line)
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  let bytes = 0
  try {
    await pipeline(
      child.stdout,
      async function* count(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length
          progress.advance(chunk.length)
          yield chunk
        }
      },
      createWriteStream(partial, { mode: 0o600 }),
    )
    const [code] = await closed
    if (code !== 0) {
      progress.fail()
      rmSync(partial, { force: true })
      return code ?? 1
    }
    renameSync(partial, out)
  } catch (error) {
    progress.fail()
    child.kill()
    rmSync(partial, { force: true })
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new StartError(`${out} can't be written: ${message}`, { cause: error })
  }
  progress.done(`${renderSize(bytes)} in ${out}`)
  return 0
}

/** `linnet db dump`: runs pg_dump on the database of the running server, and returns its exit code. */
export const dbDump = defineCommand({
  name: 'db dump',
  group: 'Database',
  summary: 'Write the database as SQL, with pg_dump',
  help: `Runs an installed pg_dump of the same major version or a later one, as the role postgres.
Arguments after "--" go to pg_dump: linnet db dump --out rows.sql -- --data-only. If no
suitable pg_dump is installed, prints the commands that install it. A dump contains no
files of the storage: it is no backup.`,
  args: ['[arguments...]'],
  options: {
    out: { value: 'FILE', help: 'write to this file, which is replaced (default: standard output)' },
    ...projectOptions,
  },
  async run({ dataDir, args, options }) {
    const { dbUrl } = requireRunningServer(dataDir)
    const path = findClient('pg_dump', readDataVersion(dataDir)!)
    const env = clientEnvironment(dbUrl)
    return options.out === undefined
      ? dumpToStdout(path, args, env)
      : dumpToFile(path, args, env, resolve(options.out))
  },
})
