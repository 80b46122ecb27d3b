import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseLsn } from '../../postgres/connections/lsn.ts'
import { paths, renderBackupId, renderStoredFile, renderWalChunk } from '../repository/layout.ts'
import type { BackupManifest } from '../repository/manifest.ts'
import { removeExpired } from './removeExpired.ts'

const dayMs = 86_400_000
let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-expired-'))
  mkdirSync(paths.incoming(dir))
})
afterEach(() => rmSync(dir, { recursive: true }))

const ago = (days: number): Date => new Date(Date.now() - days * dayMs)

/** A backup without files, at a position of a log. */
function addBackup(startedAt: Date, log: string, lsn: string): string {
  const id = renderBackupId(startedAt)
  mkdirSync(paths.backup(dir, id), { recursive: true })
  writeFileSync(join(paths.backup(dir, id), 'files.txt'), '')
  const manifest = {
    format: 1,
    id,
    startedAt: startedAt.toISOString(),
    log,
    timeline: 1,
    startLsn: lsn,
    endLsn: lsn,
    parts: { base: { name: 'base.tar.br.age' }, files: { name: 'files.txt' } },
  } as unknown as BackupManifest
  writeFileSync(paths.manifest(dir, id), JSON.stringify(manifest))
  return id
}

function addRange(log: string, start: string, end: string, writtenAt: Date): void {
  mkdirSync(paths.timeline(dir, log, 1), { recursive: true })
  const chunk = {
    start: parseLsn(start),
    end: parseLsn(end),
    writtenAt: writtenAt.getTime(),
    compressed: true,
  }
  writeFileSync(join(paths.timeline(dir, log, 1), renderWalChunk(chunk)), '')
}

const startsOf = (log: string): string[] =>
  readdirSync(paths.timeline(dir, log, 1)).map((name) => name.slice(0, 16).replace(/^0+/, ''))

it('the log of a daily backup is kept, although the clock was ahead when a later backup was made', async () => {
  addBackup(ago(3), '1-a', '0/2000028')
  addRange('1-a', '0/2000000', '0/3000000', ago(3))
  // Made after the first one, with a clock that was behind.
  addBackup(ago(5), '1-a', '0/4000028')
  addRange('1-a', '0/3000000', '0/4000000', ago(2))
  await removeExpired(dir, { days: 7, weeks: 0, months: 0 })
  expect(startsOf('1-a')).toEqual(['2000000', '3000000'])
})

it('the log of the original is removed once no daily backup of it is left', async () => {
  addBackup(ago(40), '1-a', '0/2000028')
  addRange('1-a', '0/2000000', '0/3000000', ago(40))
  addBackup(ago(2), '1-b', '0/2000028')
  addRange('1-b', '0/2000000', '0/3000000', ago(2))
  // The server has started, and makes its first backup later.
  addRange('1-c', '0/2000000', '0/3000000', ago(0))
  await removeExpired(dir, { days: 1, weeks: 0, months: 6 })
  expect(startsOf('1-a')).toEqual([])
  expect(startsOf('1-b')).toEqual(['2000000'])
  expect(startsOf('1-c')).toEqual(['2000000'])
})

it('files that were stored after the oldest daily backup are kept, also on a disk with another clock', async () => {
  addBackup(ago(3), '1-a', '0/2000028')
  addBackup(ago(0), '1-a', '0/3000028')
  mkdirSync(paths.shard(dir, '0b'), { recursive: true })
  const addFile = (last: number, days: number): string => {
    const version = `0b1c2d3e-0000-4000-8000-00000000000${last}`
    const name = renderStoredFile({ version, sha256: 'ab'.repeat(32) })
    writeFileSync(join(paths.shard(dir, '0b'), name), '')
    utimesSync(join(paths.shard(dir, '0b'), name), ago(days), ago(days))
    return name
  }
  addFile(1, 5)
  const kept = [addFile(2, 3.5), addFile(3, 1)]
  await removeExpired(dir, { days: 7, weeks: 0, months: 0 })
  expect(readdirSync(paths.shard(dir, '0b')).sort()).toEqual(kept)
})
