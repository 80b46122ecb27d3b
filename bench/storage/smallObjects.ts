import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { interleave, median, ratioOf } from '../rest/interleave.ts'
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

/** Uploads and downloads of 4 KB objects, against raw pg with the same statements, with minimal file operations and without. */
export async function objects({ server, bare, loader }: StorageBench): Promise<BenchRow[]> {
  const headers = { ...server.headers, 'Content-Type': 'application/octet-stream' }
  const claims = { sub: person, role: 'authenticated', aud: 'authenticated' }
  const captured = await captureObject(
    { connectionString: server.dbUrl },
    { supabaseDir: server.supabaseDir, claims, headers, body },
  )
  const request = renderRequest({
    url: server.url,
    method: 'GET',
    path: `/storage/v1/object/authenticated/${bucket}/small`,
    headers: server.headers,
  })
  const at = { url: server.url, concurrency: CONCURRENCY }
  const operations = {
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
  await put(server, 'small', Buffer.from(body, 'latin1'))
  const rows: BenchRow[] = []
  for (const operation of ['upload', 'download'] as const) {
    const raw =
      (dir: string | null) =>
      (ms: number): ObjectsTask => ({
        kind: 'raw objects',
        operation,
        dbUrl: server.dbUrl,
        concurrency: CONCURRENCY,
        ms,
        pipelines: captured[operation],
        name: captured.name,
        body,
        dir,
      })
    const loads = await interleave(
      loader.objects,
      { ours: operations[operation], raw: raw(bare.dir), alone: raw(null) },
      { rounds: ROUNDS, ms: ROUND_MS },
    )
    rows.push({
      what: `${operation} of 4 KB, concurrency ${CONCURRENCY}`,
      value: of(loads.ours, 'rate'),
      unit: '/s',
      ratio: ratioOf(loads.ours, loads.raw),
      against: `${Math.round(of(loads.raw, 'rate')).toLocaleString('en')}/s of raw pg and a file`,
      also: {
        '× raw pg alone': ratioOf(loads.ours, loads.alone),
        'ms p50': of(loads.ours, 'p50'),
        'ms p99': of(loads.ours, 'p99'),
        batches: captured[operation].length,
        statements: captured[operation].flat().flatMap(({ statements }) => statements).length,
      },
    })
  }
  return rows
}

async function put(server: StorageBench['server'], name: string, content: Buffer): Promise<void> {
  const answer = await fetch(`${server.url}/storage/v1/object/${bucket}/${name}`, {
    method: 'POST',
    headers: { ...server.headers, 'Content-Type': 'image/jpeg', 'x-upsert': 'true' },
    body: new Uint8Array(content),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Latency of a small response, sequentially: a cached thumbnail, and an object of its size. */
export async function firstBytes({ server, bare, loader }: StorageBench): Promise<BenchRow[]> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const photo = await sharp({
    create: { width: 1600, height: 1200, channels: 3, background: '#777', noise },
  })
    .jpeg()
    .toBuffer()
  await put(server, 'photo.jpg', photo)
  const path = `/storage/v1/render/image/authenticated/${bucket}/photo.jpg?width=96&height=96`
  const rendered = await fetch(server.url + path, { headers: server.headers })
  if (!rendered.ok) throw new Error(await rendered.text())
  const thumbnail = Buffer.from(await rendered.arrayBuffer())
  await put(server, 'thumbnail', thumbnail)
  await bare.fill('thumbnail', thumbnail)
  const task =
    (url: string, requestPath: string, headers: Record<string, string>) =>
    (ms: number): ObjectsTask => ({
      kind: 'http',
      url,
      concurrency: 1,
      ms,
      requests: [renderRequest({ url, method: 'GET', path: requestPath, headers })],
    })
  const loads = await interleave(
    loader.objects,
    {
      thumbnail: task(server.url, path, server.headers),
      object: task(server.url, `/storage/v1/object/authenticated/${bucket}/thumbnail`, server.headers),
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
