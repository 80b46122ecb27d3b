import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyData } from './copyData.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  mkdirSync(join(dataDir, 'postgres', 'base'), { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, 'postgres', 'base', '1'), 'rows')
  writeFileSync(join(dataDir, 'postgres-passwords.json'), '{}', { mode: 0o600 })
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('a copy holds the data with their modes, and the passwords', () => {
  const copy = copyData(dataDir)
  expect(readFileSync(join(copy, 'postgres', 'base', '1'), 'utf8')).toBe('rows')
  expect(statSync(join(copy, 'postgres', 'base')).mode & 0o777).toBe(0o700)
  expect(statSync(join(copy, 'postgres-passwords.json')).mode & 0o777).toBe(0o600)
})

test('the last three are kept, and what a killed copy left is removed', () => {
  const backups = join(dataDir, 'backups')
  for (const name of ['2020-01-01', '2020-01-02', '2020-01-03', '2020-01-04.partial']) {
    mkdirSync(join(backups, name), { recursive: true })
  }
  copyData(dataDir)
  expect(readdirSync(backups).slice(0, 2)).toEqual(['2020-01-02', '2020-01-03'])
  expect(readdirSync(backups)).toHaveLength(3)
})

test('what can not be copied is said in a sentence, and leaves nothing half done', () => {
  rmSync(join(dataDir, 'postgres'), { recursive: true })
  expect(() => copyData(dataDir)).toThrow(/^The data can't be copied to .*Nothing was changed/)
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([])
})
