import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '../../../backend/logging/logger.ts'
import { startBackend, type Backend } from '../../support/backend.ts'

export interface TestFunctions {
  backend: Backend
  /** The folder of the project. */
  dir: string
  /** Log entries of all levels. */
  lines: string[]
  /** Writes a function's source; a running one is loaded again. */
  write(name: string, source: string): void
  /** `/functions/v1/<path>` by fetch, without a key. */
  call(path: string, init?: RequestInit): Promise<Response>
  stop(): Promise<void>
}

/** Writes a project with these functions, and `config` in its config.toml. */
export function writeProject(functions: Record<string, string>, config: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-functions-'))
  writeFileSync(join(dir, 'config.toml'), `project_id = "functions"\n${config}`)
  for (const [name, source] of Object.entries(functions)) writeFunction(dir, name, source)
  return dir
}

function writeFunction(dir: string, name: string, source: string): void {
  mkdirSync(join(dir, 'functions', name), { recursive: true })
  writeFileSync(join(dir, 'functions', name, 'index.ts'), source)
}

/** A server with these functions, which require no token unless `config` sets it. */
export async function startFunctions(functions: Record<string, string>, config = ''): Promise<TestFunctions> {
  const open = Object.keys(functions).filter((name) => !config.includes(`[functions.${name}]`))
  const dir = writeProject(
    functions,
    `${config}\n${open.map((name) => `[functions.${name}]\nverify_jwt = false\n`).join('')}`,
  )
  const lines: string[] = []
  const log = createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) })
  const backend = await startBackend({ supabase: dir, more: { log } })
  return {
    backend,
    dir,
    lines,
    write: (name, source) => writeFunction(dir, name, source),
    call: (path, init) => fetch(`${backend.localUrl}/functions/v1/${path}`, init),
    async stop() {
      await backend.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
