import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { noLogger } from '../logging/logger.ts'
import { readProgram, readSelection, releasesDir, rootOfRelease, selectRelease } from './installedReleases.ts'
import { readOutcome } from './outcome.ts'
import { findProgramRoot, runReleases } from './runReleases.ts'
import type { StartedRelease } from './startRelease.ts'

let dir = ''
let dataDir = ''

function createProgram(root: string): void {
  mkdirSync(join(root, 'supabase'), { recursive: true })
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ name: 'linnet', version: '1.0.0', bin: { linnet: 'bin/linnet.mjs' } }),
  )
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-run-'))
  dataDir = join(dir, 'data')
  mkdirSync(releasesDir(dataDir), { recursive: true })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** A release that starts, serves and ends at once. */
const child: StartedRelease = {
  pid: 0,
  prepare: async () => {},
  serve: async () => ({ url: '', secretKey: '' }),
  end: async () => {},
  signal: () => {},
  ended: Promise.resolve({ code: 0, replacedBy: null }),
}

it('a second upgrade selects its release in place of the program as it is then', async () => {
  const program = join(dir, 'checkout')
  createProgram(program)
  for (const release of ['first', 'second']) createProgram(rootOfRelease(dataDir, release))
  selectRelease(dataDir, 'first', readProgram(program))
  const programRoot = findProgramRoot(dataDir, rootOfRelease(dataDir, 'first'))
  expect(programRoot).toBe(program)
  // As "git pull" does before the second upgrade.
  writeFileSync(join(program, 'supabase/config.toml'), '')
  const code = await runReleases({
    dataDir,
    programRoot,
    first: {
      request: { release: 'second', copy: '', firstWalFile: '', timeoutMs: 1 },
      child,
      stoppedAt: performance.now(),
    },
    argumentsOf: () => [],
    log: noLogger,
  })
  expect(code).toBe(0)
  expect(readOutcome(dataDir)).toMatchObject({ release: 'second', result: 'switched' })
  expect(readSelection(dataDir)).toMatchObject({ release: 'second', program: readProgram(program) })
})

it('a program that has never been upgraded is the program that people start', () => {
  expect(findProgramRoot(dataDir, join(dir, 'checkout'))).toBe(join(dir, 'checkout'))
})
