import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readProgram, rootOfRelease, selectRelease } from '../upgrade/installedReleases.ts'
import { startedScriptVariable } from '../runtime/commandName.ts'
import { findSelectedRelease, runInRelease } from './runInRelease.ts'
import { stop } from './stop.ts'

let dir = ''
let dataDir = ''
let program = ''
let release = ''

function createProgram(folder: string, version: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true, mode: 0o755 })
  const manifest = { name: 'linnet', version, bin: { linnet: 'bin/linnet' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  return folder
}

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'linnet-release-')))
  dataDir = join(dir, 'data')
  mkdirSync(dataDir, { mode: 0o711 })
  program = createProgram(join(dir, 'program'), '1.0.0')
  release = createProgram(rootOfRelease(dataDir, '1.1.0-a'), '1.1.0')
  selectRelease(dataDir, '1.1.0-a', readProgram(program))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

it('the selected release runs in place of the program', () => {
  expect(findSelectedRelease(program, dataDir)).toEqual({ root: release, unusedReason: '' })
})

it('a program that was changed runs itself, and the reason names both versions', () => {
  writeFileSync(join(program, 'bin/linnet'), 'changed')
  expect(findSelectedRelease(program, dataDir)).toEqual({
    root: null,
    unusedReason: `Version 1.0.0 in ${program} runs, not version 1.1.0 in ${release}: its files have changed since "linnet upgrade" installed that one.`,
  })
})

it('another program runs itself, and the reason names the program of the upgrade', () => {
  const other = createProgram(join(dir, 'other'), '1.2.0')
  const { root, unusedReason } = findSelectedRelease(other, dataDir)
  expect(root).toBe(null)
  expect(unusedReason).toContain(`Version 1.2.0 in ${other} runs`)
  expect(unusedReason).toContain(`the program in ${program}`)
})

it('a release runs itself without a reason, also before it is selected', () => {
  const next = createProgram(rootOfRelease(dataDir, '1.2.0-b'), '1.2.0')
  for (const root of [release, next])
    expect(findSelectedRelease(root, dataDir)).toEqual({ root: null, unusedReason: '' })
})

it('a release receives the script that the person has started, for the commands in its messages', async () => {
  const { argv } = process
  writeFileSync(join(release, 'bin/linnet'), `globalThis.received = process.env.${startedScriptVariable}`)
  vi.stubEnv(startedScriptVariable, undefined)
  process.argv = [argv[0]!, join(program, 'bin/linnet'), 'stop']
  try {
    await runInRelease(release, stop, ['stop'], { dataDir, supabaseDir: '', isOwnSchema: true })
  } finally {
    process.argv = argv
    vi.unstubAllEnvs()
  }
  expect(Reflect.get(globalThis, 'received')).toBe(join(program, 'bin/linnet'))
})
