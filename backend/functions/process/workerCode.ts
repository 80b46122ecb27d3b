import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let fromSources: Promise<string> | null = null

/**
 * The file that a worker's process runs. A built server has it beside itself; where the server runs from its
 * sources it is built once for each process, into a folder that goes with it.
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
