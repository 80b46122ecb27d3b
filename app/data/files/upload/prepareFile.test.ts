import { afterEach, expect, it, test, vi } from 'vitest'
import * as files from '../../../../wire/media/mediaFiles.fixture.ts'
import { place } from '../../../../wire/media/mediaFiles.fixture.ts'
import { prepareFile } from './prepareFile.ts'

afterEach(() => vi.unstubAllGlobals())

async function prepare(content: number[], name: string, type: string) {
  const outcome = await prepareFile(new File([new Uint8Array(content)], name, { type }))
  if (!outcome.ok) throw new Error(outcome.failure.message)
  const { file, mayHaveLocation } = outcome.value
  const text = new TextDecoder('latin1').decode(await file.blob.arrayBuffer())
  return { ...file, mayHaveLocation, text }
}

/** A browser that decodes pictures of these bytes. */
function stubDecoder(canDecode: (blob: Blob) => Promise<boolean>): { converted: string[] } {
  const converted: string[] = []
  vi.stubGlobal('createImageBitmap', async (blob: Blob) => {
    if (!(await canDecode(blob))) throw new Error('not decodable')
    return { width: 2000, height: 1000, close() {} }
  })
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      width: number
      constructor(width: number) {
        this.width = width
      }
      getContext = () => ({ drawImage() {} })
      convertToBlob = ({ type }: { type: string }) => {
        if (this.width === 2000) converted.push(type)
        return Promise.resolve(new Blob(['drawn'], { type }))
      }
    },
  )
  return { converted }
}

it('removes the location of pictures that this browser can’t decode, and of those with another type', async () => {
  stubDecoder(() => Promise.resolve(false))
  for (const [content, name, type] of [
    [files.heic(), 'IMG_1.HEIC', 'image/heic'],
    [files.heic(), 'IMG_1.HEIC', ''],
    [files.jpeg(), 'IMG_1.png', 'image/png'],
    [files.motionPhoto(), 'IMG_1.jpg', 'image/jpeg'],
    [files.video(), 'IMG_1.MOV', ''],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const prepared = await prepare(content, name, type)
    expect(prepared.text).not.toContain(place)
    expect(prepared).toMatchObject({ mayHaveLocation: false, size: content.length, name })
  }
})

it('reports a picture or video whose location may remain', async () => {
  stubDecoder(() => Promise.resolve(false))
  const unknown = await prepare([1, 2, 3], 'picture', 'image/x-unknown')
  expect(unknown.mayHaveLocation).toBe(true)
  const damaged = await prepare(files.video().slice(0, -9), 'film.mov', '')
  expect(damaged).toMatchObject({ mayHaveLocation: true })
  expect(damaged.text).toContain(place)
  expect((await prepare([1, 2, 3], 'data.bin', '')).mayHaveLocation).toBe(false)
})

it('converts a picture whose location can’t be removed otherwise', async () => {
  const { converted } = stubDecoder(() => Promise.resolve(true))
  const damaged = files.heic('avif').slice(0, -9)
  const prepared = await prepare(damaged, 'picture.avif', 'image/avif')
  expect(prepared).toMatchObject({
    mayHaveLocation: false,
    type: 'image/jpeg',
    name: 'picture.jpg',
    text: 'drawn',
  })
  expect(converted).toEqual(['image/jpeg'])
})

it('converts a picture that can’t be decoded after the removal', async () => {
  stubDecoder(async (blob) => (await blob.text()).includes('http://ns.adobe.com'))
  const prepared = await prepare(files.jpeg(), 'picture.jpg', 'image/jpeg')
  expect(prepared).toMatchObject({ mayHaveLocation: false, text: 'drawn' })
})

test.each([
  ['GIF', files.gif(), 'image/gif'],
  ['WebP', files.webp(), 'image/webp'],
  ['PNG', files.png(), 'image/png'],
  ['AVIF', files.heic('avis'), 'image/avif'],
])('an animated %s stays animated, and has no still thumbnail', async (_, content, type) => {
  const { converted } = stubDecoder(() => Promise.resolve(true))
  expect(await prepare(content, 'picture', type)).toMatchObject({ type, size: content.length, thumb: null })
  expect(converted).toEqual([])
})

test('a still AVIF stays an AVIF and has a thumbnail', async () => {
  stubDecoder(() => Promise.resolve(true))
  const prepared = await prepare(files.heic('avif'), 'picture.avif', 'image/avif')
  expect(prepared).toMatchObject({ type: 'image/avif', name: 'picture.avif' })
  expect(prepared.text).not.toContain(place)
  expect(prepared.thumb?.type).toBe('image/webp')
})
