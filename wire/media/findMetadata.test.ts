import { array, assert, asyncProperty, constant, constantFrom, integer, nat, oneof, record } from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { sourceOfBlob, sourceOfBytes, type ByteSource } from './ByteSource.ts'
import { findMetadata } from './findMetadata.ts'
import * as files from './mediaFiles.fixture.ts'
import { bytes, pixels, place } from './mediaFiles.fixture.ts'
import { latin1 } from './MediaReader.ts'
import { overwriteBlob, overwriteChunk } from './Overwrites.ts'

const undeclared = { name: 'file', type: '' }

async function clean(content: number[]) {
  const whole = new Uint8Array(content)
  const { overwrites, isComplete } = await findMetadata(sourceOfBytes(whole), undeclared)
  const cleaned = whole.slice()
  overwriteChunk(cleaned, 0, overwrites)
  return { cleaned, isComplete, overwrites, text: latin1(cleaned) }
}

const samples: Record<string, number[]> = {
  JPEG: files.jpeg(),
  'JPEG with further images and a video': files.motionPhoto(),
  'JPEG with a block behind it': files.jpegWithTrailer(),
  PNG: files.png(),
  WebP: files.webp(),
  GIF: files.gif(),
  TIFF: bytes(files.tiff(), pixels),
  HEIC: files.heic('heic'),
  AVIF: files.heic('avif'),
  'JPEG XL': files.jpegXl(),
  'QuickTime or MP4 video': files.video(),
  'WebM video': files.webm(),
}

describe.each(Object.entries(samples))('a %s', (_, content) => {
  it('loses its position in every place, whatever its name, and nothing else', async () => {
    expect(latin1(new Uint8Array(content))).toContain(place)
    const { cleaned, isComplete, text } = await clean(content)
    expect(text).not.toContain('53.5511')
    expect(text.split(pixels)).toHaveLength(latin1(new Uint8Array(content)).split(pixels).length)
    expect(cleaned).toHaveLength(content.length)
    expect(isComplete).toBe(true)
  })

  it('has nothing to remove afterwards', async () => {
    const { cleaned } = await clean(content)
    expect(await findMetadata(sourceOfBytes(cleaned), undeclared)).toEqual({
      overwrites: [],
      isComplete: true,
    })
  })

  it('is read in ranges, and never beyond its end', async () => {
    const whole = sourceOfBytes(new Uint8Array(content))
    const strict: ByteSource = {
      size: whole.size,
      read(offset, length) {
        expect(offset).toBeLessThanOrEqual(whole.size)
        expect(length).toBeLessThanOrEqual(64 * 1024)
        return whole.read(offset, length)
      },
    }
    expect(await findMetadata(strict, undeclared)).toMatchObject({ isComplete: true })
  })

  it('ends and does not fail if it is damaged', async () => {
    const damage = record({
      length: oneof(constant(content.length), nat(content.length)),
      changes: array(
        record({
          at: nat(content.length - 1),
          byte: oneof(constantFrom(0, 1, 0x7f, 0x80, 0xff), nat(255)),
          repeated: integer({ min: 1, max: 8 }),
        }),
        { maxLength: 6 },
      ),
    })
    await assert(
      asyncProperty(damage, async ({ length, changes }) => {
        const damaged = content.slice(0, length)
        for (const { at, byte, repeated } of changes) damaged.fill(byte, at, Math.min(at + repeated, length))
        const { cleaned, overwrites } = await clean(damaged)
        expect(cleaned).toHaveLength(length)
        let last = 0
        for (const { offset, length: covered } of overwrites) {
          expect(offset).toBeGreaterThanOrEqual(last)
          last = offset + covered
        }
        expect(last).toBeLessThanOrEqual(length)
      }),
      { numRuns: 150 },
    )
  })
})

it.each([
  ['JPEG', files.jpeg, 'Exif\0\0MM'],
  ['PNG', files.png, 'eXIfMM'],
  ['WebP', files.webp, '\0\0MM'],
  ['HEIC', (orientation: number) => files.heic('heic', orientation), '\0\0MM'],
] as const)('a %s retains its orientation alone', async (_, create, beforeTiff) => {
  const { text } = await clean(create(6))
  // One entry: the tag 0x0112, a short number, and its value.
  expect(text).toContain('\x01\x12\0\x03\0\0\0\x01\0\x06\0\0')
  expect(text).toContain(beforeTiff)
  expect((await clean(create(1))).text).not.toContain('\x01\x12\0\x03')
})

test('decoders find no flag of removed metadata in a WebP', async () => {
  expect(files.webp()[20]).toBe(0x2e)
  expect((await clean(files.webp())).cleaned[20]).toBe(0x22)
  expect((await clean(files.webp(6))).cleaned[20]).toBe(0x2a)
})

test('the removed chunks of a PNG have a valid checksum', async () => {
  // The checksum of the type "voId" and three zeros, by the sample code of the standard.
  const png = bytes(
    [0x89, 'PNG\r\n', 0x1a, '\n'],
    [0, 0, 0, 3],
    'tIME',
    [1, 2, 3],
    [9, 9, 9, 9],
    [0, 0, 0, 0],
    'IEND',
    [0, 0, 0, 0],
  )
  const { cleaned } = await clean(png)
  const { crc32 } = await import('node:zlib')
  expect(new DataView(cleaned.buffer).getUint32(19)).toBe(crc32(cleaned.subarray(12, 19)))
})

describe('the tracks of a video', () => {
  it('without pictures or sounds are removed with their samples', async () => {
    for (const handler of ['meta', 'camm', 'data', 'nrtm']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { text } = await clean(files.video({ positions: [handler] }))
      expect(text).not.toContain(place)
      expect(text).not.toContain(handler === 'meta' ? 'trak\0\0\0\x0ctkhd\0\0\0\0\0\0\0\x02' : handler)
    }
  })

  it('with subtitles are removed if these are positions', async () => {
    expect((await clean(files.video({ positions: ['sbtl'] }))).text).not.toContain(place)
    const subtitles = files.video({ positions: ['sbtl'] }).map((byte) => (byte === 0x47 ? 0x48 : byte))
    const otherText = place.replace('G', 'H')
    expect((await clean(subtitles)).text.split(otherText).length - 1).toBe(2)
  })

  it('with positions in fragments can’t be removed', async () => {
    const file = files.box('moof', files.box('traf', files.box('udta', place)))
    const { text, isComplete } = await clean(files.video({ file }))
    expect(isComplete).toBe(false)
    expect(text).not.toContain(place)
    expect((await clean(files.video({ positions: [], file }))).isComplete).toBe(true)
  })
})

test('a piece of music retains its title, but no position', async () => {
  const tags = (text: string) =>
    files.video({ positions: [], hasPicture: false, movie: files.box('udta', text) })
  expect((await clean(tags('Title and artist'))).text).toContain('Title and artist')
  expect((await clean(tags(`Title \xa9xyz${place}`))).text).not.toContain('Title')
})

describe('a file that may contain a location elsewhere', () => {
  const declared = (name: string, type = '') => ({ name, type })
  const find = async (content: number[], { name, type }: { name: string; type: string }) =>
    (await findMetadata(sourceOfBytes(new Uint8Array(content)), { name, type })).isComplete

  it('is a picture or video of an unknown or malformed format', async () => {
    expect(await find(bytes('unknown'), declared('picture', 'image/x-unknown'))).toBe(false)
    expect(await find(bytes('RIFF....AVI '), declared('holiday.AVI'))).toBe(false)
    expect(await find(files.jpeg().slice(0, 20), declared('picture.jpg', 'image/jpeg'))).toBe(false)
    expect(await find(files.video().slice(0, -9), declared('video'))).toBe(false)
    expect(await find(files.webm(0x21), declared('video.webm'))).toBe(false)
  })

  it('is a raw file with notes of its manufacturer', async () => {
    const raw = files.tiff()
    // The entry of XMP becomes one of notes.
    expect(raw.slice(22, 24)).toEqual([0x02, 0xbc])
    expect(await find(raw.with(22, 0x92).with(23, 0x7c), declared('raw.dng'))).toBe(false)
  })

  it('is none of another kind', async () => {
    expect(await find(bytes('unknown'), declared('notes.txt', 'text/plain'))).toBe(true)
    expect(await find(bytes('Get free beer'), declared('notes.txt', 'text/plain'))).toBe(true)
    expect(await find(bytes('GIF89a is a format'), declared('notes.txt', 'text/plain'))).toBe(true)
    expect(await find(bytes('<svg xmlns="">'), declared('logo.svg', 'image/svg+xml'))).toBe(true)
    expect(await find(bytes('BM1234'), declared('logo.bmp', 'image/bmp'))).toBe(true)
    expect(await find([], declared('empty.png', 'image/png'))).toBe(true)
  })
})

test('a file of empty elements ends', async () => {
  const clusters = bytes(files.webm(), ...Array.from({ length: 50 }, () => [0xa3, 0x80]))
  expect((await clean(clusters)).isComplete).toBe(true)
  let reads = 0
  const endless: ByteSource = {
    size: 2 ** 40,
    read(offset, length) {
      reads += 1
      const window = new Uint8Array(length)
      for (let at = offset % 2; at < length; at += 2) window.set([0xa3, 0x80].slice(0, length - at), at)
      if (offset === 0) window.set(files.webm())
      return Promise.resolve(window)
    },
  }
  expect((await findMetadata(endless, undeclared)).isComplete).toBe(false)
  expect(reads).toBeLessThan(200)
})

test('a blob is overwritten in parts', async () => {
  const content = [...files.jpegWithTrailer(), ...new Uint8Array(100_000).fill(5)]
  const blob = new Blob([new Uint8Array(content)], { type: 'image/jpeg' })
  const { overwrites } = await findMetadata(sourceOfBlob(blob), undeclared)
  const cleaned = overwriteBlob(blob, overwrites)
  expect(cleaned.type).toBe('image/jpeg')
  expect(new Uint8Array(await cleaned.arrayBuffer())).toEqual((await clean(content)).cleaned)
})

describe('a decoder', () => {
  // Exif as the encoder writes it, with the marker in its texts, and XMP.
  const exif = { IFD0: { Copyright: place }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '53/1 33/1 4/1' } }

  it.each(['jpeg', 'png', 'webp', 'avif', 'tiff'] as const)(
    'returns the same pixels of a %s',
    async (format) => {
      const { default: sharp } = await import('sharp')
      const noise = { type: 'gaussian', mean: 100, sigma: 30 } as const
      const picture = sharp({ create: { width: 60, height: 40, channels: 3, background: '#a31', noise } })
      const content = await picture
        .withExif(exif)
        .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${place}</x:xmpmeta>`)
        .toFormat(format)
        .toBuffer()
      expect(content.includes(place)).toBe(true)
      const { cleaned, isComplete } = await clean([...content])
      expect(isComplete).toBe(true)
      expect(Buffer.from(cleaned).includes(place)).toBe(false)
      expect(await sharp(cleaned).raw().toBuffer()).toEqual(await sharp(content).raw().toBuffer())
    },
  )
})
