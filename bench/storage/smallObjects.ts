import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { inTurns, median, ratioOf } from '../rest/inTurns.ts'
import type { Load } from '../rest/Latencies.ts'
import { renderRequest } from '../rest/renderRequest.ts'
import type { BenchRow } from '../table.ts'
import { captureObject } from './captureObject.ts'
import type { StorageBench } from './StorageBench.ts'
import type { ObjectsTask } from './storageLoader.ts'
import { bucket, person } from './storageProject.ts'

const ROUNDS = 5
const ROUND_MS = 800
const CONCURRENCY = 20
const body = randomBytes(3 * 1024).toString('base64')

const of = (loads: Load[], name: keyof Load): number => median(loads.map((load) => load[name]))

/** Objects of 4 KB, up and down, against raw pg that says the same, with the least of files and without any. */
export async function objects({ house, bare, loader }: StorageBench): Promise<BenchRow[]> {
  const headers = { ...house.headers, 'Content-Type': 'application/octet-stream' }
  const claims = { sub: person, role: 'authenticated', aud: 'authenticated' }
  const captured = await captureObject(
    { connectionString: house.dbUrl },
    { supabaseDir: house.supabaseDir, claims, headers, body },
  )
  const request = renderRequest({
    url: house.url,
    method: 'GET',
    path: `/storage/v1/object/authenticated/${bucket}/small`,
    headers: house.headers,
  })
  const at = { url: house.url, concurrency: CONCURRENCY }
  const deeds = {
    upload: (ms: number): ObjectsTask => ({
      kind: 'put objects',
      ...at,
      ms,
      folder: `/storage/v1/object/${bucket}/many`,
      headers,
      body,
    }),
    download: (ms: number): ObjectsTask => ({ kind: 'http', ...at, ms, requests: [request] }),
  }
  await put(house, 'small', Buffer.from(body, 'latin1'))
  const rows: BenchRow[] = []
  for (const deed of ['upload', 'download'] as const) {
    const raw =
      (dir: string | null) =>
      (ms: number): ObjectsTask => ({
        kind: 'raw objects',
        deed,
        dbUrl: house.dbUrl,
        concurrency: CONCURRENCY,
        ms,
        flights: captured[deed],
        name: captured.name,
        body,
        dir,
      })
    const loads = await inTurns(
      loader.objects,
      { ours: deeds[deed], raw: raw(bare.dir), alone: raw(null) },
      { rounds: ROUNDS, ms: ROUND_MS },
    )
    rows.push({
      what: `${deed} of 4 KB, concurrency ${CONCURRENCY}`,
      value: of(loads.ours, 'rate'),
      unit: '/s',
      ratio: ratioOf(loads.ours, loads.raw),
      against: `${Math.round(of(loads.raw, 'rate')).toLocaleString('en')}/s of raw pg and a file`,
      also: {
        '× raw pg alone': ratioOf(loads.ours, loads.alone),
        'ms p50': of(loads.ours, 'p50'),
        'ms p99': of(loads.ours, 'p99'),
        flights: captured[deed].length,
        statements: captured[deed].flat().flatMap(({ statements }) => statements).length,
      },
    })
  }
  return rows
}

async function put(house: StorageBench['house'], name: string, content: Buffer): Promise<void> {
  const answer = await fetch(`${house.url}/storage/v1/object/${bucket}/${name}`, {
    method: 'POST',
    headers: { ...house.headers, 'Content-Type': 'image/jpeg', 'x-upsert': 'true' },
    body: new Uint8Array(content),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** One at a time, until a small answer is there: a kept thumbnail, and an object of its size. */
export async function firstBytes({ house, bare, loader }: StorageBench): Promise<BenchRow[]> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const photo = await sharp({
    create: { width: 1600, height: 1200, channels: 3, background: '#777', noise },
  })
    .jpeg()
    .toBuffer()
  await put(house, 'photo.jpg', photo)
  const path = `/storage/v1/render/image/authenticated/${bucket}/photo.jpg?width=96&height=96`
  const rendered = await fetch(house.url + path, { headers: house.headers })
  if (!rendered.ok) throw new Error(await rendered.text())
  const thumbnail = Buffer.from(await rendered.arrayBuffer())
  await put(house, 'thumbnail', thumbnail)
  await bare.fill('thumbnail', thumbnail)
  const task =
    (url: string, asked: string, headers: Record<string, string>) =>
    (ms: number): ObjectsTask => ({
      kind: 'http',
      url,
      concurrency: 1,
      ms,
      requests: [renderRequest({ url, method: 'GET', path: asked, headers })],
    })
  const loads = await inTurns(
    loader.objects,
    {
      thumbnail: task(house.url, path, house.headers),
      object: task(house.url, `/storage/v1/object/authenticated/${bucket}/thumbnail`, house.headers),
      bare: task(bare.url, '/thumbnail', {}),
    },
    { rounds: ROUNDS, ms: ROUND_MS },
  )
  const rowOf = (what: string, ours: Load[]): BenchRow => ({
    what,
    value: of(ours, 'p50'),
    unit: 'ms',
    ratio: median(ours.map(({ p50 }, i) => p50 / loads.bare[i]!.p50)),
    against: `${of(loads.bare, 'p50').toPrecision(3)} ms of a bare Node server`,
    also: { 'ms p99': of(ours, 'p99'), KB: thumbnail.length / 1e3 },
  })
  return [
    rowOf('first byte of a kept thumbnail', loads.thumbnail),
    rowOf('first byte of an object', loads.object),
  ]
}
