import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readJson } from '../runtime/durableFiles.ts'
import {
  hashProgram,
  isTrusted,
  listReleases,
  readProgram,
  readSelection,
  releasesDir,
  removeOldReleases,
  rootOfRelease,
  selectRelease,
} from './installedReleases.ts'

let dataDir = ''

function createProgram(root: string, version = '1.0.0'): void {
  mkdirSync(join(root, 'supabase/migrations'), { recursive: true })
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ name: 'linnet', version, bin: { linnet: 'bin/linnet.mjs' } }),
  )
  writeFileSync(join(root, 'supabase/migrations/1_a.sql'), 'select 1')
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-releases-'))
  mkdirSync(releasesDir(dataDir))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

it('the hash of a program changes with its files, but not with tests and variables of an installation', () => {
  const root = join(dataDir, 'program')
  createProgram(root)
  const hash = hashProgram(root)
  writeFileSync(join(root, 'supabase/.env.local'), 'A=1')
  writeFileSync(join(root, 'supabase/a.test.ts'), '')
  expect(hashProgram(root)).toBe(hash)
  writeFileSync(join(root, 'supabase/migrations/1_a.sql'), 'select 2')
  expect(hashProgram(root)).not.toBe(hash)
})

it('the selection before the last one is stored, and there is none after the first', () => {
  const program = join(dataDir, 'program')
  createProgram(program)
  const previous = join(releasesDir(dataDir), 'previous.json')
  for (const release of ['a', 'b', 'c']) {
    createProgram(rootOfRelease(dataDir, release))
    const before = readSelection(dataDir)
    selectRelease(dataDir, release, readProgram(program))
    expect(readJson(previous)).toEqual(before)
  }
})

it('a selected release counts only while its files exist', () => {
  const program = join(dataDir, 'program')
  createProgram(program)
  createProgram(rootOfRelease(dataDir, '1.1.0-a'))
  selectRelease(dataDir, '1.1.0-a', readProgram(program))
  expect(readSelection(dataDir)).toMatchObject({ release: '1.1.0-a', program: { version: '1.0.0' } })
  rmSync(join(releasesDir(dataDir), '1.1.0-a'), { recursive: true })
  expect(readSelection(dataDir)).toBe(null)
})

it('a data folder that others can change, or that belongs to another user, is not trusted', () => {
  const uid = process.getuid!()
  expect(isTrusted(dataDir)).toBe(true)
  expect(isTrusted(dataDir, uid + 1)).toBe(uid === 0)
  chmodSync(releasesDir(dataDir), 0o777)
  expect(isTrusted(dataDir)).toBe(false)
})

it('the three newest releases stay, and those that are selected or in use', () => {
  for (const [age, name] of ['e', 'd', 'c', 'b', 'a', 'used', 'selected'].entries()) {
    createProgram(rootOfRelease(dataDir, name))
    utimesSync(join(releasesDir(dataDir), name), 1_700_000_000 - age, 1_700_000_000 - age)
  }
  selectRelease(dataDir, 'selected', readProgram(rootOfRelease(dataDir, 'a')))
  // A process that has ended: no process can have this id.
  mkdirSync(join(releasesDir(dataDir), '.installing-4194305'))
  mkdirSync(join(releasesDir(dataDir), `.rehearsal-${process.pid}`))
  removeOldReleases(dataDir, ['used'])
  expect(listReleases(dataDir)).toEqual(['e', 'd', 'c', 'used', 'selected'])
  expect(readdirSync(releasesDir(dataDir)).filter((name) => name.startsWith('.'))).toEqual([
    `.rehearsal-${process.pid}`,
  ])
})
