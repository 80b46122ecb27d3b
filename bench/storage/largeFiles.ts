import { execFile } from 'node:child_process'
import { open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { residentBytes } from '../load/usage.ts'
import { median } from '../rest/interleave.ts'
import type { BenchRow } from '../table.ts'
import type { StorageBench } from './StorageBench.ts'
import { bucket } from './storageProject.ts'
import type { DownTask, Transfer, UpTask } from './transfer.ts'

const MiB = 1024 * 1024
const SIZE = 256 * MiB
const ROUNDS = 5
const large = `/storage/v1/object/authenticated/${bucket}/large`

const encode = (text: string): string => Buffer.from(text).toString('base64')

const uploadOf = ({ server }: StorageBench, framing: UpTask['framing'], size: number): UpTask => ({
  kind: 'up',
  url: server.url,
  size,
  framing,
  method: 'POST',
  path: framing.startsWith('tus')
    ? '/storage/v1/upload/resumable'
    : `/storage/v1/object/${bucket}/${encode(framing)}`,
  headers: { ...server.headers, 'x-upsert': 'true' },
  metadata: `bucketName ${encode(bucket)},objectName ${encode('resumed')},contentType ${encode('application/octet-stream')}`,
})

const rates = (transfers: Transfer[]): number => median(transfers.map(({ rate }) => rate))

const ratios = (ours: Transfer[], theirs: Transfer[]): number =>
  median(ours.map(({ rate }, i) => rate / theirs[i]!.rate))

/** Downloads of a large file, complete and by range, sequential and four at a time, against the plain server. Goal: 0.8. */
export async function downloads(bench: StorageBench): Promise<BenchRow[]> {
  const { transfers } = bench.loader
  await transfers.run({ ...uploadOf(bench, 'raw', SIZE), path: `/storage/v1/object/${bucket}/large` })
  await bench.bare.fill('large', SIZE)
  const range = { Range: `bytes=${SIZE / 4}-${SIZE - 1}` }
  const rows: BenchRow[] = []
  for (const [what, concurrency, more] of [
    ['download, one by one', 1, {}],
    ['download, four at a time', 4, {}],
    ['download of a range', 1, range],
  ] as const) {
    const task = { kind: 'down', concurrency } as const
    const ours: DownTask = {
      ...task,
      url: bench.server.url,
      path: large,
      headers: { ...bench.server.headers, ...more },
    }
    const theirs: DownTask = { ...task, url: bench.bare.url, path: '/large', headers: more }
    const got = { ours: [] as Transfer[], theirs: [] as Transfer[] }
    for (let round = 0; round <= ROUNDS; round++) {
      const one = { ours: await transfers.run(ours), theirs: await transfers.run(theirs) }
      // The first round is a warm-up.
      if (round === 0) continue
      got.ours.push(one.ours)
      got.theirs.push(one.theirs)
    }
    const firstByte = (list: Transfer[]): number => median(list.map(({ firstByteMs }) => firstByteMs))
    rows.push({
      what,
      value: rates(got.ours),
      unit: 'MB/s',
      ratio: ratios(got.ours, got.theirs),
      against: `${Math.round(rates(got.theirs))} MB/s of a bare Node server`,
      also: { 'ms to the first byte': firstByte(got.ours), 'ms bare': firstByte(got.theirs) },
    })
  }
  return rows
}

/** Throughput of `cp` with fsync for the same file, in MB/s. */
async function copy(bench: StorageBench): Promise<Transfer> {
  const to = join(bench.bare.dir, 'copy')
  const begun = performance.now()
  await promisify(execFile)('cp', ['--reflink=never', join(bench.bare.dir, 'large'), to])
  const file = await open(to, 'r+')
  await file.sync()
  const ms = performance.now() - begun
  await file.close()
  await rm(to)
  return { rate: SIZE / 1e3 / ms, firstByteMs: ms }
}

/** Uploads of a large file, in each framing, against a plain server that writes and calls fsync, without a hash. Goal: 0.8. */
export async function uploads(bench: StorageBench): Promise<BenchRow[]> {
  const { transfers } = bench.loader
  const framings = ['raw', 'form', 'tus', 'tus in pieces'] as const
  const names = { raw: 'raw', form: 'multipart', tus: 'TUS, one piece', 'tus in pieces': 'TUS, 6 MiB pieces' }
  const bare: UpTask = {
    kind: 'up',
    url: bench.bare.url,
    size: SIZE,
    framing: 'raw',
    method: 'PUT',
    path: '/',
    headers: {},
  }
  const theirs: Transfer[] = []
  const copies: Transfer[] = []
  const ours = new Map(framings.map((framing) => [framing, [] as Transfer[]]))
  for (let round = 0; round <= ROUNDS; round++) {
    const [one, copied] = [await transfers.run(bare), await copy(bench)]
    if (round > 0) theirs.push(one)
    if (round > 0) copies.push(copied)
    for (const framing of framings) {
      const done = await transfers.run(uploadOf(bench, framing, SIZE))
      if (round > 0) ours.get(framing)!.push(done)
    }
  }
  return framings.map((framing) => ({
    what: `upload, ${names[framing]}`,
    value: rates(ours.get(framing)!),
    unit: 'MB/s',
    ratio: ratios(ours.get(framing)!, theirs),
    against: `${Math.round(rates(theirs))} MB/s of a bare Node server with fsync`,
    also: { '× cp with fsync': ratios(ours.get(framing)!, copies), 'MB/s of cp': rates(copies) },
  }))
}

/** Memory growth of the server during upload and download of a file larger than memory. Goal: as for a small one. */
export async function memory(bench: StorageBench, size: number): Promise<BenchRow[]> {
  const { bavail, bsize } = await statfs(tmpdir())
  if (bavail * bsize < 3 * size) {
    process.stderr.write(`No room for a file of ${size / MiB} MiB: its memory is not measured.\n`)
    return []
  }
  const { transfers } = bench.loader
  const path = `/storage/v1/object/${bucket}/huge`
  const watched = async (work: () => Promise<Transfer>): Promise<{ growth: number; done: Transfer }> => {
    const before = residentBytes(bench.server.pid)
    let peak = before
    const timer = setInterval(() => (peak = Math.max(peak, residentBytes(bench.server.pid))), 20)
    const done = await work()
    clearInterval(timer)
    return { growth: (peak - before) / MiB, done }
  }
  const up = (framing: UpTask['framing']) =>
    watched(() =>
      transfers.run({
        ...uploadOf(bench, framing, size),
        path: framing === 'raw' ? path : uploadOf(bench, framing, size).path,
      }),
    )
  const rows: BenchRow[] = []
  const add = (what: string, { growth, done }: { growth: number; done: Transfer }): void => {
    rows.push({
      what: `memory, ${what} of ${size / MiB} MiB`,
      value: growth,
      unit: 'MiB more',
      also: { 'MB/s': done.rate, 'MiB after': residentBytes(bench.server.pid) / MiB },
    })
  }
  add('upload', await up('raw'))
  add('resumable upload', await up('tus'))
  const down: DownTask = {
    kind: 'down',
    url: bench.server.url,
    path,
    headers: bench.server.headers,
    concurrency: 1,
  }
  add('download', await watched(() => transfers.run(down)))
  return rows
}
