// Pictures and videos that contain a position in every place that their format has. Their pixels are a marker and not
// decodable: tests/browser has real pictures.

/** The position, as it stands in each place. */
export const place = 'GPS 53.5511N 009.9937E'
/** What stays: the compressed pixels and sounds. */
export const pixels = 'PIXELS AND SOUNDS'

type Part = number | string | readonly Part[]

/** Bytes of numbers from 0 to 255, and of the characters of texts. */
export function bytes(...parts: Part[]): number[] {
  return parts.flatMap((part) =>
    typeof part === 'number'
      ? [part]
      : typeof part === 'string'
        ? Array.from(part, (letter) => letter.charCodeAt(0))
        : bytes(...part),
  )
}
export const u16 = (value: number): number[] => [(value >>> 8) & 255, value & 255]
export const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)]
const little = (value: number): number[] => u32(value).toReversed()

/** A TIFF block: an orientation, a directory with a position, and a text. */
export function tiff(orientation = 1): number[] {
  const entry = (tag: number, type: number, count: number, value: number[]) => [
    ...u16(tag),
    ...u16(type),
    ...u32(count),
    ...value,
  ]
  const gpsAt = 8 + 2 + 3 * 12 + 4
  const textAt = gpsAt + 2 + 2 * 12 + 4
  return bytes(
    'MM',
    u16(42),
    u32(8),
    u16(3),
    entry(0x0112, 3, 1, [...u16(orientation), 0, 0]),
    entry(0x02bc, 1, place.length, u32(textAt)),
    entry(0x8825, 4, 1, u32(gpsAt)),
    u32(0),
    u16(2),
    entry(1, 2, 2, bytes('N', 0, 0, 0)),
    entry(2, 2, place.length, u32(textAt)),
    u32(0),
    place,
  )
}

const segment = (marker: number, content: Part): number[] => {
  const all = bytes(content)
  return [0xff, marker, ...u16(all.length + 2), ...all]
}
const jpegWith = (segments: number[], between: number[] = []): number[] =>
  bytes(0xff, 0xd8, segments, segment(0xda, [1]), pixels, 0xff, 0, 0xff, 0xd3, 7, between, 0xff, 0xd9)

/** Exif, XMP, IPTC, a comment, segments of cameras, and a progressive scan with another comment before it. */
export function jpeg(orientation = 1): number[] {
  const segments = bytes(
    segment(0xe0, ['JFIF\0', 1, 2]),
    segment(0xe1, ['Exif\0\0', tiff(orientation)]),
    segment(0xe1, ['http://ns.adobe.com/xap/1.0/\0', place]),
    segment(0xe2, ['ICC_PROFILE\0', 'colours']),
    segment(0xe2, ['FPXR\0', place]),
    segment(0xe6, ['GoPro\0', place]),
    segment(0xed, ['Photoshop 3.0\0', place]),
    segment(0xfe, place),
  )
  return jpegWith(segments, bytes(segment(0xfe, place), segment(0xda, [1]), 9, 9))
}

/** A JPEG, a gain map with metadata of its own, and the video of a motion photo. */
export function motionPhoto(): number[] {
  return bytes(jpeg(), [0, 0], jpegWith(segment(0xe1, ['http://ns.adobe.com/xap/1.0/\0', place])), video())
}

/** A JPEG with a block of the camera behind it. */
export function jpegWithTrailer(): number[] {
  return bytes(jpegWith([]), 'SEFH', place, 'SEFT')
}

const chunk = (type: string, content: Part): number[] => {
  const data = bytes(content)
  return bytes(u32(data.length), type, data, u32(0))
}

export function png(orientation = 1): number[] {
  return bytes(
    [0x89, 'PNG\r\n', 0x1a, '\n'],
    chunk('IHDR', [u32(1), u32(1), 8, 2, 0, 0, 0]),
    chunk('acTL', [u32(2), u32(0)]),
    chunk('eXIf', tiff(orientation)),
    chunk('tEXt', ['Comment\0', place]),
    chunk('iTXt', ['XML:com.adobe.xmp\0\0\0\0\0', place]),
    chunk('caBX', place),
    chunk('IDAT', pixels),
    chunk('IEND', []),
    place,
  )
}

const riffChunk = (type: string, content: Part): number[] => {
  const data = bytes(content)
  return bytes(type, little(data.length), data, data.length % 2 ? [0] : [])
}

export function webp(orientation = 1): number[] {
  const frame = [Array.from({ length: 16 }, () => 1), riffChunk('VP8 ', pixels), riffChunk('XTRA', place)]
  const chunks = bytes(
    // Colours, Exif, XMP and animation.
    riffChunk('VP8X', [0x2e, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    riffChunk('ICCP', 'colours'),
    riffChunk('ANIM', [0, 0, 0, 0, 0, 0]),
    riffChunk('ANMF', frame),
    riffChunk('ANMF', frame),
    riffChunk('EXIF', tiff(orientation)),
    riffChunk('XMP ', place),
  )
  return bytes('RIFF', little(chunks.length + 4), 'WEBP', chunks, place)
}

const blocks = (text: string): number[] => bytes(text.length, text, 0)

export function gif(): number[] {
  const frame = bytes(0x2c, [0, 0, 0, 0, 1, 0, 1, 0, 0], 2, blocks(pixels))
  return bytes(
    'GIF89a',
    [1, 0, 1, 0, 0x80, 0, 0],
    [0, 0, 0, 255, 255, 255],
    [0x21, 0xff, 11],
    'NETSCAPE2.0',
    [3, 1, 0, 0, 0],
    [0x21, 0xfe],
    blocks(place),
    [0x21, 0xff, 11],
    'XMP DataXMP',
    blocks(place),
    frame,
    frame,
    0x3b,
    place,
  )
}

export const box = (type: string, ...content: Part[]): number[] => {
  const data = bytes(...content)
  return bytes(u32(data.length + 8), type, data)
}
const fullBox = (type: string, ...content: Part[]): number[] => box(type, u32(0), ...content)

/** A track of two samples in one chunk each. */
function track(handler: string, offsets: readonly number[], size: number): number[] {
  const tables = [
    fullBox('stsd', u32(0)),
    fullBox('stco', u32(offsets.length), ...offsets.map(u32)),
    fullBox('stsc', u32(1), u32(1), u32(1), u32(1)),
    fullBox('stsz', u32(0), u32(offsets.length), ...offsets.map(() => u32(size))),
  ]
  return box(
    'trak',
    fullBox('tkhd', u32(1)),
    box('udta', box('name', place)),
    box('meta', place),
    box(
      'mdia',
      fullBox('hdlr', u32(0), handler, u32(0)),
      box('udta', place),
      box('minf', box('dinf', fullBox('dref', u32(1), box('url ', u32(1)))), box('stbl', ...tables)),
    ),
  )
}

interface VideoParts {
  /** Handlers of tracks whose samples are positions. */
  positions?: readonly string[]
  /** Further boxes of the movie, or of the file. */
  movie?: number[]
  file?: number[]
  hasPicture?: boolean
}

/** A QuickTime or MP4 file: user data, tags, a track of positions between the pixels, free space, boxes of cameras. */
export function video({
  positions = ['meta'],
  movie = [],
  file = [],
  hasPicture = true,
}: VideoParts = {}): number[] {
  const start = box('ftyp', 'qt  ', u32(0))
  const samples = bytes(pixels, place, pixels, place)
  const first = start.length + 8
  const dataAt = [0, pixels.length + place.length].map((at) => first + at)
  const placesAt = dataAt.map((at) => at + pixels.length)
  return bytes(
    start,
    box('mdat', samples),
    box(
      'moov',
      fullBox('mvhd', u32(1)),
      track(hasPicture ? 'vide' : 'soun', dataAt, pixels.length),
      positions.map((handler) => track(handler, placesAt, place.length)),
      hasPicture ? box('udta', box('\xa9xyz', place), u32(0)) : [],
      hasPicture ? box('meta', place) : [],
      box('gps ', place),
      movie,
    ),
    box('uuid', 'be7acfcb97a942e8', place),
    box('free', place),
    // A size of 64 bits.
    bytes(u32(1), 'skip', u32(0), u32(16 + place.length), place),
    file,
  )
}

/** HEIC or AVIF: Exif in the data, XMP in the box `idat`, an item of an unknown type, and a motion photo's video. */
export function heic(brand = 'heic', orientation = 1): number[] {
  const start = box('ftyp', brand, u32(0), 'mif1')
  const exif = bytes(u32(0), tiff(orientation))
  const item = (id: number, type: string, ...more: Part[]) =>
    box('infe', [2, 0, 0, 0], u16(id), u16(0), type, ...more)
  const meta = (dataAt: number) =>
    fullBox(
      'meta',
      fullBox('hdlr', u32(0), 'pict', u32(0)),
      fullBox(
        'iinf',
        u16(4),
        item(1, brand === 'avif' ? 'av01' : 'hvc1', 0),
        item(2, 'Exif', 0),
        item(3, 'mime', 0, 'application/rdf+xml', 0),
        item(4, 'abcd', 0),
      ),
      box(
        'iloc',
        [1, 0, 0, 0],
        [0x44, 0x00],
        u16(4),
        [u16(1), u16(0), u16(0), u16(1), u32(dataAt), u32(pixels.length)],
        [u16(2), u16(0), u16(0), u16(1), u32(dataAt + pixels.length), u32(exif.length)],
        [u16(3), u16(1), u16(0), u16(1), u32(0), u32(place.length)],
        [u16(4), u16(0), u16(0), u16(1), u32(dataAt + pixels.length + exif.length), u32(place.length)],
      ),
      box('idat', place),
      box('udta', place),
    )
  const dataAt = start.length + meta(0).length + 8
  return bytes(
    start,
    meta(dataAt),
    box('mdat', pixels, exif, place),
    box('mpvd', video()),
    box('sefd', place),
  )
}

export function jpegXl(): number[] {
  const signature = box('JXL ', [0x0d, 0x0a, 0x87, 0x0a])
  return bytes(
    signature,
    box('ftyp', 'jxl ', u32(0)),
    box('jxlc', pixels),
    box('Exif', u32(0), tiff()),
    box('xml ', place),
  )
}

const element = (id: number[], ...content: Part[]): number[] => {
  const data = bytes(...content)
  return bytes(id, 0x40 | (data.length >> 8), data.length & 255, data)
}

/** A WebM recording: a segment and a cluster of unknown length, tags, and unused space. */
export function webm(trackType = 1): number[] {
  const unknown = [0x01, ...Array.from({ length: 7 }, () => 0xff)]
  return bytes(
    element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], 'webm')),
    [0x18, 0x53, 0x80, 0x67],
    unknown,
    element([0x16, 0x54, 0xae, 0x6b], element([0xae], element([0x83], trackType))),
    element([0x12, 0x54, 0xc3, 0x67], place),
    element([0xec], place),
    [0x1f, 0x43, 0xb6, 0x75],
    unknown,
    element([0xa3], pixels),
    element([0x12, 0x54, 0xc3, 0x67], 'LOCATION', place),
  )
}
