import { describe, expect, it } from 'vitest'
import { extractLinks } from '../functions/link-previews/extractLinks.ts'
import { decodePage, readMetadata } from '../functions/link-previews/readMetadata.ts'
import { readPicture } from '../functions/link-previews/readPicture.ts'

describe('links of a message', () => {
  it.each<[string, string[]]>([
    [
      'See https://a.example/x?y=1#z and (https://b.example).',
      ['https://a.example/x?y=1', 'https://b.example/'],
    ],
    ['[label](https://a.example/) <https://b.example/b>', ['https://a.example/', 'https://b.example/b']],
    ['https://a.example https://a.example/#top', ['https://a.example/']],
    ['`https://a.example` and\n```\nhttps://b.example\n```', []],
    ['$$https://a.example$$', []],
    ['||https://a.example||', []],
    ['https\\://a.example', []],
    ['\\<https\\://a.example>', []],
    ['mailto:a@b.example a@b.example ftp://a.example javascript:alert(1)', []],
    ['https://user:pass@a.example/', []],
    [
      '> https://a.example\n- https://b.example\n\n| x |\n|-|\n| https://c.example |',
      ['https://a.example/', 'https://b.example/', 'https://c.example/'],
    ],
    [
      'https://a.example/1 https://a.example/2 https://a.example/3 https://a.example/4',
      [1, 2, 3].map((n) => `https://a.example/${n}`),
    ],
    [`https://a.example/${'é'.repeat(400)}`, []],
  ])('%j', (body, urls) => {
    expect(extractLinks(body)).toEqual(urls)
  })

  it('addresses of this server are none, and take no place of others', () => {
    const own = 'https://chat.example/c/1/m/2 https://CHAT.example:443/people/3 http://127.0.0.1:4280/c/4'
    const body = `${own} http://chat.example/x https://a.example/ https://chat.example.org/`
    expect(extractLinks(body, ['https://chat.example', 'http://127.0.0.1:4280'])).toEqual([
      'http://chat.example/x',
      'https://a.example/',
      'https://chat.example.org/',
    ])
  })
})

describe('metadata of a page', () => {
  const at = new URL('https://www.a.example/blog/post')
  const read = (html: string) => readMetadata(html, at)

  it('is OpenGraph, else the card, else the page itself', () => {
    const html = `<!doctype html><html><head><title>Page</title><meta name="description" content="About">
      <meta name="twitter:title" content="Card"><meta property="og:title" content="Graph &quot;1&quot;">
      <meta property="og:site_name" content="A site"><meta name=twitter:image content=../p.png></head>`
    expect(read(html)).toEqual({
      title: 'Graph "1"',
      description: 'About',
      site: 'A site',
      image: 'https://www.a.example/p.png',
    })
    expect(read('<title>\n Only\t this </title><svg><title>Icon</title></svg>')).toEqual({
      title: 'Only this',
      description: '',
      site: 'a.example',
      image: null,
    })
  })

  it.each<[string, string | null]>([
    ['', null],
    ['<p>No title', null],
    ['<title></title>', null],
    ['<title>Open', 'Open'],
    ['<TITLE>Upper</TITLE>', 'Upper'],
    ['<html><body><div><title>Late</title>', 'Late'],
    ['<!-- <title>No</title> --><title>Yes</title>', 'Yes'],
    ['<script>"<title>No</title>"</script><title>Yes</title>', 'Yes'],
    ['<meta property="og:title" content="A\u202eB"/>', 'AB'],
    ['<meta property=og:title content=Bare><title>No', 'Bare'],
    ['<title>a &lt;b&gt; &#x1F600; &unknown;</title>', 'a <b> 😀 &unknown;'],
    ['<title>' + 'x'.repeat(300) + '</title>', 'x'.repeat(199) + '…'],
  ])('of %j has the title %j', (html, title) => {
    expect(read(html)?.title ?? null).toBe(title)
  })

  it('is read up to 512 open elements: more of them made each further tag slower', () => {
    const after = (depth: number, between = ''): string | null =>
      read('<div>'.repeat(depth) + between + '<title>T</title>')?.title ?? null
    expect(after(500)).toBe('T')
    expect(after(600)).toBeNull()
    // Elements that were closed, also by others or by themselves, don't count.
    expect(after(500, '<br><img><div></div><p><p><svg/></p>'.repeat(600))).toBe('T')
    // What takes seconds where all open elements are searched at each tag.
    expect(read('<div>'.repeat(50_000) + '</p>'.repeat(65_000))).toBeNull()
  })

  it.each(['javascript:alert(1)', 'data:image/png;base64,AA', 'http://', 'file:///etc/passwd'])(
    'has no picture at %s',
    (image) => {
      expect(read(`<title>T</title><meta property="og:image" content="${image}">`)?.image).toBe(null)
    },
  )

  it.each<[number[] | string, string, string]>([
    ['<title>é</title>', '', 'é'],
    [[...Buffer.from('<title>'), 0xe9, ...Buffer.from('</title>')], 'text/html', 'é'],
    [[...Buffer.from('<title>'), 0xe4], 'text/html; charset="ISO-8859-1"', 'ä'],
    [[...Buffer.from('<meta charset=shift_jis><title>'), 0x83, 0x65], '', 'テ'],
    [[0xff, 0xfe, ...Buffer.from('<title>ж', 'utf16le')], 'text/html; charset=utf-8', 'ж'],
    ['<title>ok', 'text/html; charset=nonsense', 'ok'],
    [[...Buffer.from('<title>ok</title>'), 0xc3], '', 'ok'],
  ])('is decoded: %j as %j', (bytes, contentType, title) => {
    const html = decodePage(
      Uint8Array.from(typeof bytes === 'string' ? Buffer.from(bytes) : bytes),
      contentType,
    )
    expect(read(html)?.title).toBe(title)
  })
})

describe('pictures', () => {
  const png = (width: number, height: number): Uint8Array => {
    const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452' + '00'.repeat(12), 'hex')
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return bytes
  }

  it.each<[string, Uint8Array, object | null]>([
    ['PNG', png(640, 480), { type: 'image/png', width: 640, height: 480 }],
    ['PNG beyond the limit', png(6000, 6000), null],
    ['PNG of one pixel', png(1, 1), null],
    [
      'JPEG',
      Buffer.from('ffd8ffe000044a46ffc0001108012c0190030122', 'hex'),
      { type: 'image/jpeg', width: 400, height: 300 },
    ],
    ['JPEG that ends early', Buffer.from('ffd8ffe00004', 'hex'), null],
    [
      'WebP',
      Buffer.from('524946460000000057454250565038580a00000000000000630000630000', 'hex'),
      { type: 'image/webp', width: 100, height: 100 },
    ],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"/>'), null],
    ['nothing', new Uint8Array(), null],
  ])('%s', (_, bytes, expected) => {
    expect(readPicture(bytes)).toEqual(expected && { bytes, ...expected })
  })
})
