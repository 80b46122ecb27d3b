/** An element of pasted HTML, or a text (`name` is empty). */
export interface HtmlNode {
  /** In lower case. */
  name: string
  text: string
  attributes: ReadonlyMap<string, string>
  children: HtmlNode[]
}

const MAX_NODES = 20_000
/** Elements that are nested deeper become siblings. */
const MAX_DEPTH = 100

const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'wbr',
])
/** Their content is neither shown nor markup. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'noscript', 'template', 'iframe', 'xmp'])
/** Each of them ends one that is open. */
const SIBLINGS = new Set(['li', 'p', 'tr', 'td', 'th', 'dt', 'dd'])
const NONE: ReadonlyMap<string, string> = new Map()

const TAG = /<(\/?)([a-z][a-z0-9:-]*)/iy
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

/**
 * Reads HTML as a browser puts it on the clipboard, in time linear to its length; null if it has too many elements. The
 * browser's parser is not used: the content security policy lets no text become markup, not even in another document.
 */
export function parseHtml(html: string): HtmlNode | null {
  const root = element('', NONE)
  const open: HtmlNode[] = [root]
  let nodes = 0
  let at = 0
  const add = (node: HtmlNode) => {
    nodes += 1
    open.at(-1)?.children.push(node)
  }
  while (at < html.length) {
    if (nodes > MAX_NODES) return null
    const start = html.indexOf('<', at)
    const text = html.slice(at, start < 0 ? html.length : start)
    if (text !== '') add({ name: '', text: decodeEntities(text), attributes: NONE, children: [] })
    if (start < 0) break
    TAG.lastIndex = start
    const [tag, slash, rawName = ''] = TAG.exec(html) ?? []
    const name = rawName.toLowerCase()
    if (tag === undefined) {
      at = endOfMarkup(html, start)
      if (at === start + 1) add({ name: '', text: '<', attributes: NONE, children: [] })
      continue
    }
    const end = endOfTag(html, start + tag.length)
    if (end < 0) break
    at = end + 1
    if (slash) {
      const index = open.findLastIndex((one) => one.name === name)
      if (index > 0) open.length = index
      continue
    }
    if (RAW.has(name)) {
      const close = new RegExp(`</${name}`, 'gi')
      close.lastIndex = at
      at = close.exec(html)?.index ?? html.length
      continue
    }
    if (SIBLINGS.has(name) && open.at(-1)?.name === name) open.pop()
    const node = element(name, readAttributes(html.slice(start + tag.length, end)))
    add(node)
    if (!VOID.has(name) && open.length < MAX_DEPTH) open.push(node)
  }
  return root
}

function element(name: string, attributes: ReadonlyMap<string, string>): HtmlNode {
  return { name, text: '', attributes, children: [] }
}

/** Behind a comment or a declaration; a lone "<" is text. */
function endOfMarkup(html: string, start: number): number {
  const close = html.startsWith('<!--', start) ? '-->' : /[!?/]/.test(html[start + 1] ?? '') ? '>' : null
  if (close === null) return start + 1
  const end = html.indexOf(close, start)
  return end < 0 ? html.length : end + close.length
}

/** The index of the ">" of a tag, outside of quotes; -1 if there is none. */
function endOfTag(html: string, from: number): number {
  let at = from
  while (at < html.length) {
    const sign = html[at]
    if (sign === '>') return at
    if (sign === '"' || sign === "'") {
      at = html.indexOf(sign, at + 1)
      if (at < 0) return -1
    }
    at += 1
  }
  return -1
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  if (text.trim() === '') return NONE
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    attributes.set(name.toLowerCase(), decodeEntities(double ?? single ?? bare ?? ''))
  }
  return attributes
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
}

/** Numbers and the names that browsers write; other names stay as they are. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (found, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name)] ?? found
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : found
  })
}

/** All text of a node. */
export function textOf(node: HtmlNode): string {
  return node.name === '' && node.children.length === 0 ? node.text : node.children.map(textOf).join('')
}

/** Whether the node or one within it fulfils a condition. */
export function someNode(node: HtmlNode, is: (node: HtmlNode) => boolean): boolean {
  return is(node) || node.children.some((child) => someNode(child, is))
}
