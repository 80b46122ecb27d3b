import { deflateRawSync, gzipSync } from 'node:zlib'

export interface HostileFile {
  name: string
  /** The declared content type. */
  label: string
  bytes: Buffer
}

/** The code of a file: it requests a URL that nothing else requests. */
const mark = (name: string): string => `fetch('/ran?'+encodeURIComponent(${JSON.stringify(name)}))`

const svgSpace = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
const pagesSpace = 'xmlns="http://www.w3.org/1999/xhtml"'

/** Text with a byte order mark, by which a client that sniffs detects the encoding. */
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')
const bigEndian = (text: string): Buffer => utf16(text).swap16()
const utf7 = (text: string): string => text.replaceAll('<', '+ADw-').replaceAll('>', '+AD4-')

/** A ZIP with one entry, which unpacks to `size` zeros. */
function zipOf(size: number): Buffer {
  const packed = deflateRawSync(Buffer.alloc(size))
  const head = Buffer.alloc(30)
  head.write('PK\x03\x04', 'latin1')
  head.writeUInt16LE(8, 8)
  head.writeUInt32LE(packed.length, 18)
  head.writeUInt32LE(size, 22)
  head.writeUInt16LE(1, 26)
  return Buffer.concat([head, Buffer.from('0'), packed])
}

const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')

/** Formats that can run code, and how `run` is embedded in each. */
const writings: Record<string, (run: string) => Buffer | string> = {
  page: (run) => `<!doctype html><script>${run}</script>`,
  'page behind spaces': (run) => `\n \t<html><body onload="${run.replaceAll('"', '&quot;')}">`,
  'page behind a mark': (run) => `\ufeff<!doctype html><script>${run}</script>`,
  'page behind a comment': (run) => `<!-- x --><img src=x onerror="${run.replaceAll('"', '&quot;')}">`,
  'page behind 600 letters': (run) => `${'a'.repeat(600)}<script>${run}</script>`,
  'page in UTF-16': (run) => utf16(`<!doctype html><script>${run}</script>`),
  'page in big-endian UTF-16': (run) => bigEndian(`<!doctype html><script>${run}</script>`),
  'page in UTF-7': (run) => utf7(`<script>${run}</script>`),
  XHTML: (run) => `<html ${pagesSpace}><body><script>${run}</script></body></html>`,
  SVG: (run) => `<svg ${svgSpace}><script>${run}</script></svg>`,
  'SVG that loads': (run) => `<svg ${svgSpace} onload="${run.replaceAll('"', '&quot;')}"/>`,
  'SVG with a page in it': (run) =>
    `<svg ${svgSpace}><foreignObject><body ${pagesSpace}><script>${run}</script></body></foreignObject></svg>`,
  'SVG with a link': (run) =>
    `<svg ${svgSpace}><a xlink:href="javascript:${run.replaceAll('"', '&quot;')}"><text>x</text></a><use xlink:href="data:image/svg+xml,%3Csvg/%3E"/></svg>`,
  'SVG with entities': (run) =>
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY l0 "x">${laughs}<!ENTITY e SYSTEM "file:///etc/passwd">]><svg ${svgSpace}><text>&l9;&e;</text><script>${run}</script></svg>`,
  'XML with its own sheet': (run) =>
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><x:stylesheet id="s" version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:template match="/"><html ${pagesSpace}><script>${run}</script></html></x:template></x:stylesheet>`,
  MathML: (run) =>
    `<math xmlns="http://www.w3.org/1998/Math/MathML" href="javascript:${run.replaceAll('"', '&quot;')}"><script ${pagesSpace}>${run}</script></math>`,
  script: (run) => run,
  'GIF that is a script': (run) => `GIF89a=1;${run}`,
  'GIF with a page behind it': (run) =>
    Buffer.concat([
      Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
      Buffer.from(`<script>${run}</script>`),
    ]),
  'JPEG with a page in its comment': (run) => {
    const page = `<html><script>${run}</script>`
    const comment = Buffer.from(`\xff\xd8\xff\xfe\0\0${page}\xff\xd9`, 'latin1')
    comment.writeUInt16BE(page.length + 2, 4)
    return comment
  },
  'PDF that is a page': (run) => `%PDF-1.7\n<script>${run}</script>\n1 0 obj<</OpenAction<</S/JavaScript>>>>`,
  'mail with a page': (run) =>
    `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x"\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<script>${run}</script>\r\n--x--\r\n`,
  'parts that replace each other': (run) =>
    `--x\r\nContent-Type: text/html\r\n\r\n<script>${run}</script>\r\n--x--\r\n`,
}

/** Content types that a browser handles specially or sniffs. */
const labels = [
  'TEXT/HTML; charset=utf-7',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/xsl',
  'text/javascript',
  'text/plain',
  'image/png',
  'multipart/x-mixed-replace; boundary=x',
]

const plainOnes: [string, string, Buffer | string][] = [
  ['nothing', 'text/html', ''],
  ['page of an unknown type', 'x/y', `<script>${mark('page of an unknown type')}</script>`],
  ['page called a film', 'video/mp4', `<script>${mark('page called a film')}</script>`],
  ['page called a PDF', 'application/pdf', `<script>${mark('page called a PDF')}</script>`],
  ['page called a mail', 'message/rfc822', `<script>${mark('page called a mail')}</script>`],
  ['one byte', 'image/png', '<'],
  ['half a PNG', 'image/png', '\x89PNG\r\n\x1a\n\0\0'],
  [
    'PNG of 2^31 by 2^31',
    'image/png',
    Buffer.from('89504e470d0a1a0a0000000d494844527fffffff7fffffff0802000000', 'hex'),
  ],
  ['WebAssembly', 'application/wasm', Buffer.from('0061736d01000000', 'hex')],
  ['WebAssembly called words', 'text/plain', Buffer.from('0061736d01000000', 'hex')],
  ['archive that swells', 'application/zip', zipOf(64 * 1024 * 1024)],
  ['archive that swells, called a picture', 'image/png', zipOf(64 * 1024 * 1024)],
  ['page that swells', 'text/html', gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))],
  ['sheet', 'text/css', 'body{background:red}'],
  ['shortcut', 'application/internet-shortcut', '[InternetShortcut]\r\nURL=javascript:1\r\n'],
  ['program', 'application/x-msdownload', 'MZ\x90\0'],
]

/** Files that try to run code or to exhaust memory when opened: each format with each content type, and others. */
export const hostileFiles: readonly HostileFile[] = [
  ...Object.entries(writings).flatMap(([writing, write]) =>
    labels.map((label) => {
      const name = `${writing} as ${label}`
      return { name, label, bytes: Buffer.from(write(mark(name)) as string) }
    }),
  ),
  ...plainOnes.map(([name, label, bytes]) => ({
    name,
    label,
    bytes: Buffer.from(bytes as string, 'latin1'),
  })),
]

/** Names that have caused path traversal in some server, or that mislead a user. */
export const hostileNames: readonly string[] = [
  ['../x', '../../../../etc/passwd', 'a/../../x', './x', 'a//b', '/x', '//x', '..', '.', 'a/..', 'a/.'],
  ['..\\x', 'C:\\x', '\\\\host\\x', 'a\0b', '\0', 'a\nb', 'a\r\nX: y', 'a\x1bb', 'a\x7fb', '\t'],
  ['x\u202egpj.exe', '\u200fx', '\u2066x', 'é', '🐦', '\ufeffx', 'e\u0301', '\u2025/x', '\uff0e\uff0e/x'],
  [
    'con',
    'CON.txt',
    'nul',
    'aux.h',
    'com1',
    'lpt1',
    'x:$DATA',
    'x::$INDEX_ALLOCATION',
    'x.',
    'x ',
    ' x',
    '~',
    '~root/x',
  ],
  [
    '%2e%2e/x',
    '%2e%2e%2fx',
    '..%2fx',
    '..%5cx',
    '%00',
    '%252e%252e/x',
    '%c0%ae%c0%ae/x',
    '%',
    '%zz',
    '%ED%A0%80',
    '%u002e',
  ],
  [
    'a'.repeat(255),
    'a'.repeat(256),
    'a'.repeat(1024),
    'a'.repeat(1025),
    'a/'.repeat(512),
    `${'b'.repeat(300)}/x`,
  ],
  [
    'file:///etc/passwd',
    'http://x/',
    '|id',
    '$(id)',
    '`id`',
    ';id',
    '-rf',
    '*',
    '?',
    '#',
    '<x>',
    '"',
    "'",
    '__proto__',
    'constructor',
  ],
  ['incoming/x', 'journal/x', 'objects/x', 'resumable/x.json', '00000000-0000-4000-8000-000000000001'],
].flat()
