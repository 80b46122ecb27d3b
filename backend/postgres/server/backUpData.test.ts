import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backUpData } from './backUpData.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  mkdirSync(join(dataDir, 'postgres', 'base'), { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, 'postgres', 'base', '1'), 'rows')
  writeFileSync(join(dataDir, 'postgres-passwords.json'), '{}', { mode: 0o600 })
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('a copy holds the data with their modes, and the passwords', async () => {
  const copy = await backUpData(dataDir)
  expect(readFileSync(join(copy, 'postgres', 'base', '1'), 'utf8')).toBe('rows')
  expect(statSync(join(copy, 'postgres', 'base')).mode & 0o777).toBe(0o700)
  expect(statSync(join(copy, 'postgres-passwords.json')).mode & 0o777).toBe(0o600)
})

test('the last three are kept, and what a killed copy left is removed', async () => {
  const backups = join(dataDir, 'backups')
  for (const name of ['2020-01-01', '2020-01-02', '2020-01-03', '2020-01-04.partial']) {
    mkdirSync(join(backups, name), { recursive: true })
  }
  await backUpData(dataDir)
  expect(readdirSync(backups).slice(0, 2)).toEqual(['2020-01-02', '2020-01-03'])
  expect(readdirSync(backups)).toHaveLength(3)
})

test('a failed copy throws an error with a sentence and leaves no partial copy', async () => {
  rmSync(join(dataDir, 'postgres'), { recursive: true })
  await expect(backUpData(dataDir)).rejects.toThrow(/^The data can't be backed up to .*Nothing was changed/)
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([])
})

test('a copy does not block the event loop, on which the heartbeat of the data lock depends', async () => {
  const turned = new Promise<string>((resolve) => {
    setImmediate(() => resolve('another task ran'))
  })
  const copied = backUpData(dataDir)
  expect(await Promise.race([copied, turned])).toBe('another task ran')
  await copied
})
