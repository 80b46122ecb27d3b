import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFolder } from '../../runtime/durableFiles.ts'
import { readKeys } from '../repository/keys.ts'
import { paths, renderWalChunk } from '../repository/layout.ts'
import { openRepository, type Repository } from '../repository/openRepository.ts'
import { writeBackupState } from '../state.ts'
import { openOwnRepository, type OwnRepositoryOptions } from './openOwnRepository.ts'
import { openLog, readWriter, recordPosition, replaceWriter } from './writer.ts'

let folder: string
let dir: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'linnet-writer-'))
  dir = join(folder, 'backups')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The data folder of an installation. */
function dataOf(name: string): string {
  const dataDir = join(folder, name)
  mkdirSync(join(dataDir, 'postgres'), { recursive: true })
  return dataDir
}

const open = (dataDir: string, change: Partial<OwnRepositoryOptions> = {}): Promise<Repository> =>
  openOwnRepository(dir, {
    dataDir,
    isRestored: false,
    isChosen: false,
    publicKey: null,
    passphrase: null,
    ...change,
  })

/** A restored copy of an installation, as `linnet restore` leaves it. */
async function restore(original: string, name: string): Promise<string> {
  const copy = dataOf(name)
  writeFileSync(join(copy, 'backup-writer.json'), JSON.stringify(await readWriter(original)))
  await replaceWriter(copy, (await openRepository(dir)).info.writer)
  return copy
}

it('another installation cannot add to the backups of an installation', async () => {
  const [first, second] = [dataOf('first'), dataOf('second')]
  await open(first)
  await expect(open(second)).rejects.toThrow(`The backups in ${dir} belong to another server`)
  const publicKey = (await openRepository(dir)).info.publicKey
  expect((await open(first)).info.publicKey).toBe(publicKey)
})

it('a restored copy continues the backups only after its restore is confirmed, and then the original does not', async () => {
  const original = dataOf('original')
  await open(original)
  const copy = await restore(original, 'copy')
  await expect(open(copy, { isRestored: true })).rejects.toThrow('Confirm that the original is gone')
  await open(original)
  await open(copy)
  await expect(open(original)).rejects.toThrow('belong to another server, or to a restored copy of this one')
  // From a backup of the original, which did not know of the first copy.
  const second = await restore(original, 'second')
  await open(second)
  await expect(open(copy)).rejects.toThrow('belong to another server')
})

it('a restored copy continues backups in another folder that the original used too', async () => {
  const original = dataOf('original')
  await open(original)
  const copy = await restore(original, 'copy')
  await open(copy)
  const first = dir
  dir = join(folder, 'other')
  await open(original)
  dir = first
  const second = await restore(original, 'second')
  dir = join(folder, 'other')
  expect((await open(second)).info.writer).toBe((await readWriter(second)).id)
})

it('a server and a backup that start at the same time create one key', async () => {
  const dataDir = dataOf('data')
  const [{ info }, other] = await Promise.all([open(dataDir), open(dataDir)])
  expect(other.info).toEqual(info)
  expect((await readKeys(dir, null)).map(({ publicKey }) => publicKey)).toEqual([info.publicKey])
})

it('a folder whose backups are missing gets new ones only if a command names it', async () => {
  const dataDir = dataOf('data')
  await open(dataDir)
  await writeBackupState(dataDir, 'backup', {
    id: '2026-01-01T03-00-00Z',
    at: '2026-01-01T03:00:09.000Z',
    dir,
    durationMs: 9_000,
    addedBytes: 1,
    isOnSameDisk: true,
    keyStorage: 'plain',
    hasRecoverySheet: true,
    commandFailure: null,
  })
  rmSync(dir, { recursive: true })
  await expect(open(dataDir)).rejects.toThrow(`The backups in ${dir} are missing. Mount their disk`)
  await open(dataDir, { isChosen: true })
  await open(dataDir)
})

it('a database that was put back to an earlier state gets a log of its own', async () => {
  const dataDir = dataOf('data')
  const system = { systemIdentifier: '7', timeline: 1 }
  const openOwnLog = async (): ReturnType<typeof openLog> => openLog(await open(dataDir), dataDir, system)
  /** Adds a range, as the archive does. */
  const add = async (end: bigint): Promise<void> => {
    const { log, writer } = await openOwnLog()
    await recordPosition(dataDir, { writer, timeline: 1, position: end })
    await createFolder(paths.timeline(dir, log, 1))
    const chunk = { start: 0n, end, writtenAt: 0, compressed: false }
    writeFileSync(join(paths.timeline(dir, log, 1), renderWalChunk(chunk)), '')
  }
  const first = await openOwnLog()
  await add(100n)
  const mark = { writer: first.writer, timeline: 1, position: 100n }
  await add(200n)
  expect((await openOwnLog()).log).toBe(first.log)

  await recordPosition(dataDir, mark)
  const both = await Promise.all([openOwnLog(), openOwnLog()])
  expect(both[0].log).not.toBe(first.log)
  expect(both[1].log).toBe(both[0].log)
  await add(150n)
  expect((await openOwnLog()).log).toBe(both[0].log)

  // Once more, to the same state.
  await recordPosition(dataDir, mark)
  const third = await openOwnLog()
  expect(new Set([first.log, both[0].log, third.log]).size).toBe(3)
  expect((await openRepository(dir)).info.writer).toBe(third.writer)
})
