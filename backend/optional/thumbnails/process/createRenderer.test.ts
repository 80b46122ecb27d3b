import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { planRendering } from '../planRendering.ts'
import { createRenderer } from './createRenderer.ts'
import type { Rendered, Renderer, RendererOptions } from './createRenderer.ts'

const dir = mkdtempSync(join(tmpdir(), 'linnet-render-'))
const source = join(dir, 'source')
/** It takes a while, so that its process finds the limit exceeded before it is done. */
const large = join(dir, 'large')
let renderer: Renderer | null = null

/** The time of the queue's clock; it advances when the size of a picture was read. */
let time = 0

const start = (o: RendererOptions = {}): Renderer => (renderer = createRenderer({ now: () => time, ...o }))
const render = (path = source): Promise<Rendered> =>
  renderer!.render({
    principal: 'ann',
    source: path,
    kind: 'png',
    target: join(dir, 'target'),
    plan: (picture) => {
      time += 100
      return planRendering(picture, { width: 10 }, 'webp')
    },
  })

const ample = { memory: 1e9, time: 60_000 }

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

beforeAll(async () => {
  await sharp({ create: { width: 40, height: 20, channels: 3, background: '#123' } })
    .png()
    .toFile(source)
  await sharp({ create: { width: 4000, height: 2000, channels: 3, background: '#123' } })
    .png({ compressionLevel: 1 })
    .toFile(large)
})
afterEach(() => renderer?.close())
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('an image that exceeds the memory limit is retried in the heavy process, and processes end with the renderer', async () => {
  start({ processes: { light: { memory: 1, time: 60_000 }, heavy: ample } })
  expect(await render(large)).toMatchObject({ format: 'webp' })
  expect(await sharp(join(dir, 'target')).metadata()).toMatchObject({ width: 10, height: 5, format: 'webp' })
  const [pid] = renderer!.pids
  expect(process.kill(pid!, 0)).toBe(true)
  renderer!.close()
  await expect.poll(() => isAlive(pid!)).toBe(false)
})

test('an image that exceeds the limits there too is refused', async () => {
  start({ processes: { light: { memory: 1, time: 60_000 }, heavy: { memory: 1, time: 60_000 } } })
  await expect(render(large)).rejects.toMatchObject({
    code: 'InvalidRequest',
    message: 'The source image resolution is too large to process',
  })
  renderer!.close()
  start({ processes: { light: { memory: 1e9, time: 1 }, heavy: { memory: 1e9, time: 1 } } })
  await expect(render(large)).rejects.toMatchObject({ statusCode: 408 })
})

test('waiting is limited in number and time; a deleted image is reported as gone', async () => {
  start({ processes: { light: ample, heavy: ample }, maxQueued: 1, queueTimeoutMs: 99 })
  const all = await Promise.allSettled([render(), render(), render()])
  expect(all[0]!.status).toBe('fulfilled')
  // The second gets a slot only after its timeout, and the third finds the queue full.
  for (const one of all.slice(1)) {
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'SlowDown', httpStatus: 429 } })
  }
  expect(await render(join(dir, 'none'))).toBe('gone')
})
