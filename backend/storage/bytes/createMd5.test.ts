import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createMd5 } from './createMd5.ts'

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')

async function sumOf(bytes: Buffer, step: number): Promise<string> {
  const sum = createMd5()
  for (let at = 0; at < bytes.length; at += step) await sum.update(bytes.subarray(at, at + step))
  return sum.digest()
}

test.each([0, 1, 262_144, 262_145, 1_048_576, 3_000_001])('the sum of %i bytes', async (size) => {
  const bytes = randomBytes(size)
  expect(await sumOf(bytes, 65_536)).toBe(md5(bytes))
})

test('sums of several files at once are each their own, whatever the pieces', async () => {
  const files = [700_000, 1_500_000, 2_000_000].map((size) => randomBytes(size))
  const steps = [1_000_000, 65_537, 300_001]
  const dropped = createMd5()
  await dropped.update(randomBytes(400_000))
  dropped.abandon()
  expect(await Promise.all(files.map((bytes, i) => sumOf(bytes, steps[i]!)))).toEqual(files.map(md5))
})
