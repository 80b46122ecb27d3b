import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { releasesDir } from './installedReleases.ts'
import { readOutcome } from './outcome.ts'
import {
  beginSwitch,
  finishSwitch,
  hasUnfinishedSwitch,
  restoreUnfinishedSwitch,
} from './unfinishedSwitch.ts'

let dataDir = ''
let copy = ''
const contentOf = (file: string): string => readFileSync(join(dataDir, file), 'utf8')

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-switch-'))
  copy = join(dataDir, 'backups', 'time')
  for (const folder of [releasesDir(dataDir), join(dataDir, 'postgres'), join(copy, 'postgres')])
    mkdirSync(folder, { recursive: true })
  writeFileSync(join(dataDir, 'schema.digest'), 'old')
  writeFileSync(join(copy, 'postgres', 'state'), 'old')
  beginSwitch(dataDir, '1.0.0-a', copy)
  // What the new version does.
  writeFileSync(join(dataDir, 'postgres', 'state'), 'new')
  writeFileSync(join(dataDir, 'schema.digest'), 'new')
  writeFileSync(join(dataDir, 'schema.changing'), '')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function expectRestored(): void {
  expect([contentOf('postgres/state'), contentOf('schema.digest')]).toEqual(['old', 'old'])
  expect(existsSync(join(dataDir, 'schema.changing'))).toBe(false)
  expect(existsSync(copy)).toBe(false)
  expect(hasUnfinishedSwitch(dataDir)).toBe(false)
  expect(readOutcome(dataDir)).toMatchObject({ release: '1.0.0-a', result: 'restored' })
}

it('an unfinished switch is undone', async () => {
  expect(await restoreUnfinishedSwitch(dataDir)).toBe(true)
  expectRestored()
  expect(await restoreUnfinishedSwitch(dataDir)).toBe(false)
})

it('a finished switch is not undone', async () => {
  finishSwitch(dataDir)
  expect(await restoreUnfinishedSwitch(dataDir)).toBe(false)
  expect(contentOf('postgres/state')).toBe('new')
  expect(existsSync(copy)).toBe(true)
})

it('a restore that was interrupted after it had moved the data away continues', async () => {
  renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres.failed'))
  expect(await restoreUnfinishedSwitch(dataDir)).toBe(true)
  expectRestored()
})

it('a restore that was interrupted after it had moved the copy continues', async () => {
  renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres.failed'))
  renameSync(join(copy, 'postgres'), join(dataDir, 'postgres'))
  expect(await restoreUnfinishedSwitch(dataDir)).toBe(true)
  expectRestored()
})

it('an unfinished move to another major version of PostgreSQL is undone, whether or not it has replaced the data', async () => {
  const former = join(dataDir, 'postgres-17')
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
  for (const isReplaced of [false, true]) {
    writeFileSync(join(dataDir, 'postgres', 'state'), 'before')
    beginSwitch(dataDir, '1.0.0-a', '')
    if (isReplaced) {
      renameSync(join(dataDir, 'postgres'), former)
      mkdirSync(join(dataDir, 'postgres'))
    }
    expect(await restoreUnfinishedSwitch(dataDir)).toBe(true)
    expect(contentOf('postgres/state')).toBe('before')
    expect([former, join(dataDir, 'postgres.failed')].filter(existsSync)).toEqual([])
    expect(hasUnfinishedSwitch(dataDir)).toBe(false)
  }
})

it('a missing copy is named, and the data stay where they are', async () => {
  rmSync(copy, { recursive: true })
  rmSync(join(dataDir, 'postgres'), { recursive: true })
  await expect(restoreUnfinishedSwitch(dataDir)).rejects.toThrow(/is missing\. Put it back/)
  expect(hasUnfinishedSwitch(dataDir)).toBe(true)
})
