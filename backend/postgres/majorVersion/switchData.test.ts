import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isInterrupted, readDataVersion, recoverFromInterruption, switchData } from './switchData.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-switch-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const createData = (folder: string, version: number): void => {
  mkdirSync(join(dir, folder), { recursive: true })
  writeFileSync(join(dir, folder, 'PG_VERSION'), `${version}\n`)
}

it('the new data take the place of the earlier ones, which stay under another name', () => {
  createData('postgres', 17)
  createData('postgres-next/postgres', 18)
  switchData(dir, 17)
  expect(readdirSync(dir).sort()).toEqual(['postgres', 'postgres-17'])
  expect(readDataVersion(dir)).toBe(18)
  expect(isInterrupted(dir)).toBe(false)
})

it('a copy that was not completed is removed, and the earlier data count', () => {
  createData('postgres', 17)
  createData('postgres-next/postgres', 18)
  expect(isInterrupted(dir)).toBe(true)
  recoverFromInterruption(dir)
  expect(readdirSync(dir)).toEqual(['postgres'])
  expect(readDataVersion(dir)).toBe(17)
})

it('a complete copy does not replace data that may have changed since', () => {
  createData('postgres', 17)
  createData('postgres-next/postgres', 18)
  writeFileSync(join(dir, 'postgres-next/verified'), '')
  recoverFromInterruption(dir)
  expect(readDataVersion(dir)).toBe(17)
})

it('a switch that was interrupted between its two steps is completed', () => {
  createData('postgres', 17)
  createData('postgres-next/postgres', 18)
  writeFileSync(join(dir, 'postgres-next/verified'), '')
  renameSync(join(dir, 'postgres'), join(dir, 'postgres-17'))
  expect(isInterrupted(dir)).toBe(true)
  recoverFromInterruption(dir)
  expect(readdirSync(dir).sort()).toEqual(['postgres', 'postgres-17'])
  expect(readDataVersion(dir)).toBe(18)
})

it('no new database is created beside the data of an earlier version', () => {
  createData('postgres-17', 17)
  expect(isInterrupted(dir)).toBe(true)
  expect(() => recoverFromInterruption(dir)).toThrow(
    `To use these data again, run: mv ${join(dir, 'postgres-17')} ${join(dir, 'postgres')}`,
  )
  expect(existsSync(join(dir, 'postgres'))).toBe(false)
})

it('new folders and folders without a move are left alone', () => {
  expect(isInterrupted(join(dir, 'missing'))).toBe(false)
  createData('postgres', 18)
  createData('postgres-17', 17)
  expect(isInterrupted(dir)).toBe(false)
})
