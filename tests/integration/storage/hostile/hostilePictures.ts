import { deflateSync, crc32 as crcOf, gzipSync } from 'node:zlib'
import sharp from 'sharp'

export interface HostilePicture {
  name: string
  bytes: Buffer
  /** It must be refused; other pictures may also be rendered cleanly. */
  refused: boolean
}

const script = '<script>alert(1)</script>'
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)">${script}</svg>`

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crcOf(body))
  return Buffer.concat([size, body, check])
}

/** A PNG with a declared size and these lines, which may not match it. */
export function png(
  width: number,
  height: number,
  o: { lines?: Buffer; extra?: Buffer; kind?: number[] } = {},
): Buffer {
  const [depth = 8, colour = 2, interlace = 0] = o.kind ?? []
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([depth, colour, 0, 0, interlace], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    o.extra ?? Buffer.alloc(0),
    chunk('IDAT', deflateSync(o.lines ?? Buffer.alloc(100))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Pseudorandom bytes, the same in each run so that a failure can be reproduced. */
function* randoms(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state
  }
}

/** Copies with some bytes after the signature changed. */
function mutants(name: string, bytes: Buffer, count: number): HostilePicture[] {
  const random = randoms(bytes.length)
  return Array.from({ length: count }, (_, i) => {
    const copy = Buffer.from(bytes)
    for (let n = 0; n <= i % 8; n++) {
      const at = 12 + (random.next().value! % (bytes.length - 12))
      copy[at] = random.next().value! >>> 24
    }
    return { name: `${name} turned ${i}`, bytes: copy, refused: false }
  })
}

/** A JPEG whose frame header declares another size. */
function resizedJpeg(jpeg: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(jpeg)
  const frame = copy.indexOf(Buffer.from([0xff, 0xc0]))
  copy.writeUInt16BE(height, frame + 5)
  copy.writeUInt16BE(width, frame + 7)
  return copy
}

/** Malicious pictures: false sizes, decompression bombs, truncated files, polyglots and noise. */
export async function hostilePictures(): Promise<HostilePicture[]> {
  const plain = sharp({ create: { width: 48, height: 32, channels: 3, background: '#28a' } })
  const film = sharp(
    await Promise.all(
      ['#f00', '#00f'].map((background) =>
        sharp({ create: { width: 24, height: 16, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    ),
    { join: { animated: true } },
  )
  const [jpeg, pngOne, webp, avif, gif, tiff, movingWebp] = await Promise.all([
    plain.clone().jpeg().toBuffer(),
    plain.clone().png().toBuffer(),
    plain.clone().webp().toBuffer(),
    plain.clone().avif({ effort: 0 }).toBuffer(),
    film.clone().gif({ effort: 1 }).toBuffer(),
    plain.clone().tiff().toBuffer(),
    film.clone().webp({ effort: 0 }).toBuffer(),
  ])
  const whole = { jpeg, png: pngOne, webp, avif, gif, tiff, movingWebp }
  const bomb = deflateSync(Buffer.alloc(20_000_000))
  const refuse = (name: string, bytes: Buffer | string): HostilePicture => ({
    name,
    bytes: Buffer.from(bytes),
    refused: true,
  })
  const allow = (name: string, bytes: Buffer): HostilePicture => ({ name, bytes, refused: false })
  const bigGif = Buffer.from(gif)
  bigGif.writeUInt16LE(65_535, 6)
  bigGif.writeUInt16LE(65_535, 8)
  return [
    refuse('nothing', ''),
    refuse('one byte', 'G'),
    refuse('text', 'hello'),
    refuse('a page', `<!doctype html>${script}`),
    refuse('SVG', svg),
    refuse('SVG behind a space', ` \n${svg}`),
    refuse(
      'SVG with an entity',
      `<?xml version="1.0"?><!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg}`,
    ),
    refuse('SVG in gzip', gzipSync(svg)),
    refuse('PDF', '%PDF-1.7\n1 0 obj\n'),
    refuse('PostScript', '%!PS-Adobe-3.0\n'),
    refuse('XBM', '#define w 9\n#define h 9\nstatic char bits[] = {0};'),
    refuse('PPM', 'P6 30000 30000 255\n'),
    refuse('Radiance', '#?RADIANCE\n-Y 30000 +X 30000\n'),
    refuse('a film', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42', 'latin1')),
    refuse('HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')),
    refuse('libvips', Buffer.from('08f2a6b6', 'hex')),
    refuse('MVG', 'push graphic-context\nimage over 0,0 0,0 "|id"\n'),
    ...Object.entries(whole).flatMap(([name, bytes]) => [
      refuse(`${name}: signature alone`, bytes.subarray(0, 12)),
      allow(`${name}: half`, bytes.subarray(0, bytes.length >> 1)),
      allow(`${name}: all but its end`, bytes.subarray(0, -3)),
      allow(`${name}: a page behind it`, Buffer.concat([bytes, Buffer.from(script)])),
      allow(`${name}: an archive behind it`, Buffer.concat([bytes, Buffer.from('PK\x03\x04'), bomb])),
    ]),
    refuse('PNG of 30,000 by 30,000', png(30_000, 30_000, { kind: [1, 0] })),
    refuse('PNG of 2^31 by 2^31', png(2 ** 31 - 1, 2 ** 31 - 1)),
    refuse('PNG of no size', png(0, 0)),
    refuse('PNG of one endless row', png(2 ** 31 - 1, 1)),
    refuse('PNG of a depth there is none of', png(9, 9, { kind: [3, 7] })),
    allow('PNG with more lines than it has', png(9, 9, { lines: Buffer.alloc(20_000_000) })),
    allow(
      'PNG with a profile that swells',
      png(9, 9, {
        lines: Buffer.alloc(9 * 28),
        extra: chunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), bomb])),
      }),
    ),
    allow(
      'PNG with a text that swells',
      png(9, 9, {
        lines: Buffer.alloc(9 * 28),
        extra: chunk('zTXt', Buffer.concat([Buffer.from('x\0\0'), bomb])),
      }),
    ),
    refuse('JPEG of 65,500 by 65,500', resizedJpeg(jpeg, 65_500, 65_500)),
    allow('JPEG that is larger than its bytes', resizedJpeg(jpeg, 4000, 4000)),
    allow('GIF whose screen is 65,535 by 65,535 and its frames are not', bigGif),
    refuse('GIF that is a script', `GIF89a=1;${script}`),
    ...Object.entries(whole).flatMap(([name, bytes]) => mutants(name, bytes, 13)),
  ]
}
