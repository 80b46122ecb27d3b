import { cutText } from '../../../wire/texts.ts'
import { Parser } from 'htmlparser2'
import { parseUrl } from '../../../backend/runtime/parseUrl.ts'

/** The metadata of a page. */
export interface Metadata {
  title: string
  /** Empty if there is none. */
  description: string
  site: string
  /** The address of its picture; null if there is none. */
  image: string | null
}

/** In characters; longer texts are cut. */
const maxTitle = 200
const maxDescription = 300
const maxSite = 80
/** A title that is never closed would be the whole page. */
const maxRawText = 2000
/** Of elements in each other, as in Chromium. The parser searches all that are open at each tag: a page of them took 12 s. */
const maxDepth = 512

/**
 * Reads the title, the description and the picture of a page: OpenGraph, else Twitter's card, else `<title>` and the
 * description. Null for a page without a title. Takes time in proportion to the text, however broken its HTML is; what follows
 * more than 512 open elements is not read.
 * @param url the address of the page, to which relative ones refer
 */
export function readMetadata(html: string, url: URL): Metadata | null {
  const meta = new Map<string, string>()
  let title = ''
  let isInTitle = false
  let hasTitle = false
  let depth = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      if (++depth > maxDepth) parser.pause()
      if (name === 'title' && !hasTitle) isInTitle = true
      if (name !== 'meta') return
      const key = (attributes['property'] ?? attributes['name'] ?? '').trim().toLowerCase()
      const content = attributes['content']?.trim()
      // The first one counts; of several pictures it is the main one.
      if (content && !meta.has(key)) meta.set(key, content.slice(0, maxRawText))
    },
    ontext(text) {
      if (isInTitle && title.length < maxRawText) title += text.slice(0, maxRawText)
    },
    onclosetag(name) {
      depth--
      if (name !== 'title' || !isInTitle) return
      isInTitle = false
      // Drawings within the page have titles too.
      hasTitle = true
    },
  })
  parser.end(html)
  const first = (...keys: string[]): string =>
    keys.map((key) => meta.get(key) ?? '').find((value) => value !== '') ?? ''
  const found = {
    title: cut(first('og:title', 'twitter:title') || title, maxTitle),
    description: cut(first('og:description', 'twitter:description', 'description'), maxDescription),
    site: cut(first('og:site_name') || url.hostname.replace(/^www\./, ''), maxSite),
    image: imageUrl(
      first('og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src'),
      url,
    ),
  }
  return found.title === '' ? null : found
}

/** One line without control characters, and without those that change the direction of what follows. */
function cut(text: string, max: number): string {
  const line = text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/[\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu, '')
    .trim()
  return cutText(line, max, '…')
}

function imageUrl(address: string, base: URL): string | null {
  const url = address === '' ? null : parseUrl(address, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : null
}

/**
 * The text of a page: in the encoding of its byte order mark, else of the header, else of its `<meta>`; else in UTF-8,
 * or windows-1252 if it is none. A character that is cut at the end is no error.
 * @param contentType the header
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const label =
    bomOf(bytes) ??
    /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w:-]{2,40})/i.exec(
      new TextDecoder('latin1').decode(bytes.subarray(0, 4096)),
    )?.[1]
  if (label !== undefined) {
    try {
      return new TextDecoder(label).decode(bytes)
    } catch {
      // An unknown label is as good as none.
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function bomOf(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return undefined
}
