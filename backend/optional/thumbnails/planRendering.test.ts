import { describe, expect, test } from 'vitest'
import { StorageError } from '../../storage/StorageError.ts'
import { negotiateFormat, planRendering } from './planRendering.ts'
import type { SourceImage } from './planRendering.ts'
import type { Transform } from './readTransform.ts'

const photo: SourceImage = { kind: 'jpeg', width: 400, height: 300, frames: 1, hasAlpha: false }
const tall: SourceImage = { ...photo, width: 50, height: 200 }

describe('sizes', () => {
  test.each<[string, SourceImage, Transform, [number, number], [number, number, number, number] | null]>([
    ['one side', photo, { width: 200 }, [200, 150], null],
    ['the other', photo, { height: 30 }, [40, 30], null],
    ['cover', photo, { width: 100, height: 100 }, [133, 100], [17, 0, 100, 100]],
    ['contain', photo, { width: 100, height: 100, resize: 'contain' }, [100, 75], null],
    ['fill', photo, { width: 100, height: 100, resize: 'fill' }, [100, 100], null],
    ['fill by one side', photo, { width: 100, resize: 'fill' }, [100, 300], null],
    ['nothing enlarged', photo, { width: 2000, height: 2000 }, [400, 300], null],
    ['half of it too small', tall, { width: 100, height: 100 }, [50, 200], [0, 50, 50, 100]],
    ['fill keeps its shape', tall, { width: 100, height: 100, resize: 'fill' }, [50, 50], null],
    ['nothing asked', { ...photo, width: 6000, height: 1000 }, {}, [3000, 500], null],
    ['at least a pixel', { ...photo, width: 60_000, height: 2 }, { width: 10 }, [10, 1], null],
  ])('%s', (_, picture, transform, [width, height], cut) => {
    const plan = planRendering(picture, transform, 'origin')
    expect(plan.scaled).toEqual({ width, height })
    expect(plan.crop && [plan.crop.left, plan.crop.top, plan.crop.width, plan.crop.height]).toEqual(cut)
  })

  test.each([
    ['no', 0, 0, 0, 0],
    ['so', 0, 0, 0, 100],
    ['ce', 0, 0, 0, 50],
    ['no', 0, 20, 0, 20],
    ['so', 0, 20, 0, 80],
    ['no', 0, 0.1, 0, 20],
    ['so', 0, -500, 0, 100],
    ['fp', 0, 1, 0, 100],
    ['fp', 0.5, 0.3, 0, 10],
  ] as const)('gravity %s %d %d', (kind, x, y, left, top) => {
    const plan = planRendering(tall, { width: 50, height: 100, gravity: { kind, x, y } }, 'origin')
    expect(plan.crop).toMatchObject({ left, top })
  })
})

describe('limits', () => {
  test.each([
    [7071, 7072],
    [65_536, 1],
    [4_000_000_000, 4_000_000_000],
  ])('%d by %d is too large', (width, height) => {
    expect(() => planRendering({ ...photo, width, height }, { width: 10 }, 'webp')).toThrow(StorageError)
  })

  test('frames are bounded by their number and by what they hold', () => {
    const film: SourceImage = { kind: 'gif', width: 100, height: 100, frames: 500, hasAlpha: false }
    expect(planRendering(film, {}, 'webp').frames).toBe(60)
    expect(planRendering({ ...film, width: 2000, height: 2000 }, {}, 'origin').frames).toBe(12)
    expect(planRendering({ ...film, kind: 'webp', width: 2000, height: 2000 }, {}, 'origin').frames).toBe(4)
    expect(planRendering({ ...film, kind: 'webp', width: 7000, height: 7000 }, {}, 'origin').frames).toBe(1)
    expect(planRendering(film, {}, 'avif').frames).toBe(1)
  })
})

test.each<[string | undefined, Transform, string]>([
  ['image/avif,image/webp,*/*;q=0.8', {}, 'webp'],
  ['image/avif, image/png', {}, 'avif'],
  ['IMAGE/WEBP ; q=0.5', {}, 'webp'],
  ['image/webp;q=0.0, image/avif;q=0', {}, 'origin'],
  ['image/webpx', {}, 'origin'],
  [undefined, {}, 'origin'],
  ['image/webp', { format: 'origin' }, 'origin'],
  [undefined, { format: 'avif' }, 'avif'],
])('what %s may be sent', (accept, transform, format) => {
  expect(negotiateFormat(transform, accept)).toBe(format)
})
