import { describe, expect, it } from 'vitest'
import { stripMetadata } from './stripMetadata.ts'

const text = (content: string) => [...content].map((letter) => letter.charCodeAt(0))
const u16 = (value: number) => [value >> 8, value & 0xff]
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value & 0xffff)]
const segment = (marker: number, bytes: number[]) => [0xff, marker, ...u16(bytes.length + 2), ...bytes]
const PLACE = 'GPS 53.5N 9.9E'

/** Exif of one directory: orientation, and a GPS position. */
function exif(orientation: number): number[] {
  const entry = [...u16(0x0112), ...u16(3), ...u32(1), ...u16(orientation), 0, 0]
  return [...text('Exif'), 0, 0, ...text('MM'), ...u16(42), ...u32(8), ...u16(1), ...entry, ...text(PLACE)]
}
async function stripped(bytes: number[], type: string): Promise<{ content: string; bytes: Uint8Array }> {
  const blob = await stripMetadata(new Blob([new Uint8Array(bytes)], { type }))
  const result = new Uint8Array(await blob.arrayBuffer())
  return { content: String.fromCharCode(...result), bytes: result }
}

describe('metadata of an image', () => {
  const scan = [0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9]

  it('is removed from a JPEG without changing its pixels', async () => {
    const jpeg = [0xff, 0xd8, ...segment(0xe0, text('JFIF')), ...segment(0xe1, exif(1))]
    const whole = [...jpeg, ...segment(0xed, text(PLACE)), ...segment(0xfe, text(PLACE)), ...scan]
    expect(String.fromCharCode(...whole)).toContain(PLACE)
    const { content, bytes } = await stripped(whole, 'image/jpeg')
    expect(content).not.toContain(PLACE)
    expect(content).toContain('JFIF')
    expect(Array.from(bytes.slice(-scan.length))).toEqual(scan)
  })

  it('does not include the orientation of a JPEG', async () => {
    const { content, bytes } = await stripped([0xff, 0xd8, ...segment(0xe1, exif(6)), ...scan], 'image/jpeg')
    expect(content).not.toContain(PLACE)
    expect(content).toContain('Exif')
    // Stripping again changes nothing: the remaining block is valid.
    expect((await stripped([...bytes], 'image/jpeg')).bytes).toEqual(bytes)
  })

  it('is removed from a PNG and a WebP', async () => {
    const chunk = (kind: string, bytes: number[]) => [
      ...u32(bytes.length),
      ...text(kind),
      ...bytes,
      0,
      0,
      0,
      0,
    ]
    const head = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    const png = [...head, ...chunk('IHDR', [1]), ...chunk('eXIf', text(PLACE)), ...chunk('tEXt', text(PLACE))]
    const cleanPng = await stripped([...png, ...chunk('IDAT', [7]), ...chunk('IEND', [])], 'image/png')
    expect(cleanPng.content).not.toContain(PLACE)
    expect(cleanPng.content).toContain('IDAT')

    const little = (value: number) => u32(value).toReversed()
    const part = (kind: string, bytes: number[]) => [
      ...text(kind),
      ...little(bytes.length),
      ...bytes,
      ...(bytes.length % 2 ? [0] : []),
    ]
    const parts = [
      ...part('VP8X', [0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      ...part('VP8 ', [9, 9]),
      ...part('EXIF', text(PLACE)),
      ...part('XMP ', text(PLACE)),
    ]
    const webp = [...text('RIFF'), ...little(parts.length + 4), ...text('WEBP'), ...parts]
    const cleanWebp = await stripped(webp, 'image/webp')
    expect(cleanWebp.content).not.toContain(PLACE)
    expect(cleanWebp.bytes[20]).toBe(0)
    expect(cleanWebp.bytes[4]).toBe(cleanWebp.bytes.length - 8)
  })

  it('does not change a file whose content does not match its type', async () => {
    const odd = [0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 1, 2, 3]
    expect([...(await stripped(odd, 'image/jpeg')).bytes]).toEqual(odd)
    expect([...(await stripped([1, 2], 'image/png')).bytes]).toEqual([1, 2])
    expect([...(await stripped([1, 2], 'text/plain')).bytes]).toEqual([1, 2])
  })
})
