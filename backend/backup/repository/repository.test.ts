import { randomBytes } from 'node:crypto'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFolder } from '../../runtime/durableFiles.ts'
import { createKey, keyStorageOf, parseKeys, readKeys, writeKeys } from './keys.ts'
import {
  parseStoredFile,
  parseWalChunk,
  paths,
  renderStoredFile,
  renderWalChunk,
  type WalChunk,
} from './layout.ts'
import { listBackups, readManifest, type BackupManifest, type BackupPart } from './manifest.ts'
import { openRepository, type Repository } from './openRepository.ts'
import { createStoredFiles, listWal, readPart, selectContinuous, verifyParts } from './readStored.ts'
import { segmentBytes, segmentName } from '../../postgres/connections/lsn.ts'
import { openOwnRepository } from '../target/openOwnRepository.ts'
import { selectWalOf, writeSegments } from './walSegments.ts'
import { writeStored } from './writeStored.ts'

let dir: string
let repository: Repository

const open = (at = dir, publicKey: string | null = null): Promise<Repository> =>
  openOwnRepository(at, {
    dataDir: join(dir, '..'),
    isRestored: false,
    isChosen: false,
    publicKey,
    passphrase: null,
  })

beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), 'linnet-repository-')), 'backups')
  repository = await open()
  for (const folder of [paths.incoming(dir), paths.backups(dir)]) await createFolder(folder)
})
afterEach(() => rmSync(join(dir, '..'), { recursive: true }))

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}

async function readAll(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}

const identities = async (): Promise<string[]> => (await readKeys(dir, null)).map(({ identity }) => identity)

async function writeBackup(
  id: string,
  base: Buffer,
  positions: Partial<Pick<BackupManifest, 'log' | 'timeline' | 'endLsn'>> = {},
): Promise<BackupManifest> {
  await createFolder(paths.backup(dir, id))
  const part = async (name: string, plain: Buffer): Promise<BackupPart> => {
    const { publish, remove: _, ...stored } = await writeStored(repository, pieces(plain), { compress: true })
    await publish(join(paths.backup(dir, id), name))
    return { name, ...stored }
  }
  const manifest = {
    format: 1,
    id,
    startedAt: id.replace(/T(\d\d)-(\d\d)-(\d\d)Z$/, 'T$1:$2:$3.000Z'),
    log: '1-a',
    timeline: 1,
    startLsn: '0/2000028',
    endLsn: '0/20001A0',
    ...positions,
    parts: {
      base: await part('base.tar.br.age', base),
      baseManifest: await part('base.json.br.age', Buffer.from('{}')),
    },
  } as unknown as BackupManifest
  writeFileSync(paths.manifest(dir, id), JSON.stringify(manifest))
  return manifest
}

it('a part is written, read back, and damage is reported', async () => {
  const base = Buffer.concat([randomBytes(300_000), Buffer.alloc(500_000)])
  const manifest = await writeBackup('2026-01-01T03-00-00Z', base)
  expect(readdirSync(paths.incoming(dir))).toEqual([])
  expect((await readAll(readPart(dir, manifest, 'base', await identities()))).equals(base)).toBe(true)
  await verifyParts(dir, manifest)
  const path = join(paths.backup(dir, manifest.id), 'base.tar.br.age')
  const bytes = readFileSync(path)
  bytes[bytes.length - 20]! ^= 1
  writeFileSync(path, bytes)
  await expect(verifyParts(dir, manifest)).rejects.toThrow(`${path} is damaged.`)
  await expect(readAll(readPart(dir, manifest, 'base', await identities()))).rejects.toThrow(
    `${path} is damaged or truncated.`,
  )
  truncateSync(path, 200_000)
  await expect(verifyParts(dir, manifest)).rejects.toThrow(/is truncated: it has 200000 of \d+ bytes/)
  await expect(readAll(readPart(dir, manifest, 'base', await identities()))).rejects.toThrow('truncated')
  rmSync(path)
  await expect(verifyParts(dir, manifest)).rejects.toThrow(`${path} is missing.`)
})

it('another key does not open a backup', async () => {
  const manifest = await writeBackup('2026-01-01T03-00-00Z', Buffer.from('base'))
  await expect(readAll(readPart(dir, manifest, 'base', [await generateIdentity()]))).rejects.toThrow(
    'The key does not open',
  )
})

it('backups are listed in the order in which they were made, although the clock was wrong meanwhile', async () => {
  const made = ['2026-01-01T03-00-00Z', '2031-01-01T03-00-00Z', '2026-01-02T03-00-00Z']
  for (const [index, id] of made.entries())
    await writeBackup(id, Buffer.from(id), { endLsn: `0/${index + 2}0001A0` })
  // A restored copy continues the backups, with positions of its own.
  await writeBackup('2026-01-04T03-00-00Z', Buffer.from('copy'), {
    log: '1-b',
    timeline: 2,
    endLsn: '0/1000028',
  })
  const { backups } = await listBackups(dir)
  expect(backups.map(({ id }) => id)).toEqual([...made, '2026-01-04T03-00-00Z'])
})

it('backups are listed by time, and damaged or newer ones are named', async () => {
  for (const id of ['2026-01-02T03-00-00Z', '2026-01-01T03-00-00Z', '2026-01-03T03-00-00Z'])
    await writeBackup(id, Buffer.from(id))
  writeFileSync(paths.manifest(dir, '2026-01-03T03-00-00Z'), '{"format": 2}')
  writeFileSync(paths.manifest(dir, '2026-01-02T03-00-00Z'), '{')
  const { backups, problems } = await listBackups(dir)
  expect(backups.map(({ id }) => id)).toEqual(['2026-01-01T03-00-00Z'])
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('is damaged. Restore another backup.'),
    expect.stringContaining('was written by a newer Linnet'),
  ])
  await expect(readManifest(dir, '2026-01-09T03-00-00Z')).rejects.toThrow('There is no backup')
})

it('a stored file is found by its version', async () => {
  const version = '0b1c2d3e-0000-4000-8000-000000000001'
  const incoming = await writeStored(repository, pieces(Buffer.from('hello')), { compress: false })
  await createFolder(paths.shard(dir, '0b'))
  await incoming.publish(join(paths.shard(dir, '0b'), renderStoredFile({ version, sha256: incoming.sha256 })))
  const files = createStoredFiles(dir, await identities())
  expect(String(await readAll((await files.open(version))!))).toBe('hello')
  expect(await files.open('0b1c2d3e-0000-4000-8000-000000000002')).toBeNull()
  expect(await files.open('ff1c2d3e-0000-4000-8000-000000000002')).toBeNull()
})

it('a source that fails leaves nothing behind', async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(2_000_000)
    throw new Error('the connection ended')
  }
  for (const compress of [true, false])
    await expect(writeStored(repository, failing(), { compress })).rejects.toThrow('the connection ended')
  const onWrite = (): void => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC', path: '/x' })
  }
  await expect(
    writeStored(repository, pieces(Buffer.alloc(2_000_000)), { compress: false, onWrite }),
  ).rejects.toThrow("The disk is full: /x can't be written.")
  expect(readdirSync(paths.incoming(dir))).toEqual([])
})

it('the key is readable by its owner only, and a passphrase protects it', async () => {
  expect(statSync(paths.plainKey(dir)).mode & 0o777).toBe(0o600)
  const [first] = await readKeys(dir, null)
  expect(first!.publicKey).toBe(repository.info.publicKey)
  const second = await createKey()
  await writeKeys(dir, [second, first!], 'correct horse', 10)
  expect(keyStorageOf(dir)).toBe('passphrase')
  expect((await readKeys(dir, 'correct horse')).map(({ identity }) => identity)).toEqual([
    second.identity,
    first!.identity,
  ])
  await expect(readKeys(dir, 'wrong')).rejects.toThrow('The passphrase of the backups is wrong.')
  await expect(readKeys(dir, null)).rejects.toThrow('are protected by a passphrase')
})

it('a key file may contain other text, and an incomplete key is refused', async () => {
  const identity = await generateIdentity()
  expect(await parseKeys(`Recovery sheet\n  ${identity}\nKeep it safe.\n`, 'sheet')).toMatchObject([
    { identity, publicKey: await identityToRecipient(identity) },
  ])
  await expect(parseKeys('nothing', 'sheet')).rejects.toThrow('sheet contains no key.')
  await expect(parseKeys(identity.slice(0, -1), 'sheet')).rejects.toThrow('mistyped or incomplete')
})

it('a repository is created once, in an empty folder only', async () => {
  expect((await open()).info).toEqual(repository.info)
  const other = join(dir, '..', 'other')
  await createFolder(other)
  await expect(openRepository(other)).rejects.toThrow(`There are no backups of Linnet in ${other}.`)
  await expect(openRepository(join(dir, '..'))).rejects.toThrow(
    `There are no backups of Linnet in ${join(dir, '..')}. Use one of these folders in it: ${dir}`,
  )
  writeFileSync(join(other, 'holiday.jpg'), '')
  await expect(open(other)).rejects.toThrow('is not empty and contains no backups of Linnet')
  writeFileSync(paths.info(dir), JSON.stringify({ ...repository.info, format: 2 }))
  await expect(open()).rejects.toThrow('have a newer format (2)')
  writeFileSync(paths.info(dir), '{')
  await expect(open()).rejects.toThrow('is damaged')
})

it('a configured public key needs no private key in the repository', async () => {
  const publicKey = await identityToRecipient(await generateIdentity())
  const other = join(dir, '..', 'other')
  const created = await open(other, publicKey)
  expect(created.info.publicKey).toBe(publicKey)
  expect(keyStorageOf(other)).toBe('absent')
  await expect(readKeys(other, null)).rejects.toThrow('contains no private key')
  await expect(open(other, 'age1x')).rejects.toThrow('backup.public_key is not a public key')
})

it('names of files and of ranges are parsed as they are rendered', () => {
  const file = { version: '0b1c2d3e-0000-4000-8000-000000000001', sha256: 'ab'.repeat(32) }
  expect(parseStoredFile(renderStoredFile(file))).toEqual(file)
  expect(parseStoredFile('x.age')).toBeNull()
  for (const compressed of [true, false]) {
    const chunk: WalChunk = {
      timeline: 3,
      start: 0x1_0200_0000n,
      end: 0x1_0200_00a0n,
      writtenAt: 17,
      compressed,
    }
    expect(parseWalChunk(renderWalChunk(chunk), 3)).toEqual(chunk)
  }
})

const chunk = (start: bigint, end: bigint, timeline = 1): WalChunk => ({
  timeline,
  start,
  end,
  writtenAt: 0,
  compressed: false,
})

it('ranges of the log are selected up to the first gap', () => {
  const chunks = [
    chunk(0n, 5n),
    chunk(0n, 20n),
    chunk(5n, 9n),
    chunk(20n, 25n),
    chunk(24n, 30n),
    chunk(31n, 40n),
  ]
  expect(selectContinuous(chunks, 1, 0n)).toEqual([chunk(0n, 20n), chunk(20n, 25n), chunk(24n, 30n)])
  expect(selectContinuous(chunks, 1, 32n)).toEqual([chunk(31n, 40n)])
  expect(selectContinuous(chunks, 2, 0n)).toEqual([])
  expect(selectContinuous(chunks, 1, 50n)).toEqual([])
})

it('ranges continue a base backup only where they cover its end', () => {
  const manifest = { timeline: 1, startLsn: '0/2000028', endLsn: '0/30001A0' }
  const whole = [chunk(0x200_0000n, 0x300_0000n), chunk(0x300_0000n, 0x310_0000n)]
  expect(selectWalOf(manifest, whole)).toEqual(whole)
  expect(selectWalOf(manifest, whole.slice(1))).toEqual(whole.slice(1))
  expect(selectWalOf(manifest, whole.slice(0, 1))).toEqual([])
  expect(selectWalOf(manifest, [chunk(0x300_0010n, 0x310_0000n)])).toEqual([])
})

it('segments are assembled from overlapping ranges', async () => {
  expect(segmentName(1, 0x1_0200_0000n)).toBe('000000010000000100000002')
  const system = '7400000000000000000'
  const log = Buffer.alloc(Number(segmentBytes) + 1000)
  // A byte of each 4 KiB differs, and the end is random.
  for (let at = 0; at < log.length; at += 4096) log[at] = at / 4096
  randomBytes(2000).copy(log, log.length - 2000)
  const base = 0x200_0000n
  const folder = paths.timeline(dir, system, 1)
  await createFolder(folder)
  const end = Number(segmentBytes)
  for (const [start, stop] of [
    [0, end - 500],
    [0, 100],
    [end - 700, end + 10],
    [end + 10, end + 1000],
  ] as const) {
    const compressed = start === 0
    const incoming = await writeStored(repository, pieces(log.subarray(start, stop)), {
      compress: compressed,
    })
    const range = { start: base + BigInt(start), end: base + BigInt(stop), writtenAt: 1, compressed }
    await incoming.publish(join(folder, renderWalChunk(range)))
  }
  const chunks = selectContinuous(await listWal(dir, system), 1, base)
  expect(chunks).toHaveLength(3)
  const target = join(dir, '..', 'segments')
  await createFolder(target)
  await writeSegments(dir, system, chunks, await identities(), target)
  expect(readdirSync(target).sort()).toEqual(['000000010000000000000002', '000000010000000000000003'])
  expect(readFileSync(join(target, '000000010000000000000002')).equals(log.subarray(0, end))).toBe(true)
  const last = readFileSync(join(target, '000000010000000000000003'))
  expect(last).toHaveLength(end)
  expect(last.subarray(0, 1000).equals(log.subarray(end))).toBe(true)
  expect(last.subarray(1000).equals(Buffer.alloc(end - 1000))).toBe(true)
})
