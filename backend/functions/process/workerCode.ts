import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let fromSources: Promise<string> | null = null

/**
 * The file that a worker process runs. A built server contains it; a server that runs from its sources builds it once
 * per process, into a folder that is removed on exit.
 */
export async function workerCode(): Promise<string> {
  const built = join(import.meta.dirname, 'functionWorker.js')
  if (existsSync(built)) return built
  fromSources ??= buildWorker()
  return fromSources
}

async function buildWorker(): Promise<string> {
  const { rolldown } = await import('rolldown')
  const dir = mkdtempSync(join(tmpdir(), 'linnet-worker-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'functionWorker.mjs')
  const bundle = await rolldown({
    input: join(import.meta.dirname, '..', 'worker', 'worker.ts'),
    platform: 'node',
    logLevel: 'silent',
  })
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
  return file
}
