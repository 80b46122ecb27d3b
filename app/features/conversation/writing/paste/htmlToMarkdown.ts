import { keepNecessaryEscapes } from '../../../../../wire/body/escapes.ts'
import { linkTarget, readUrl } from '../textEdits.ts'
import { parseHtml, someNode, textOf, type HtmlNode } from './parseHtml.ts'

/** Longer HTML is pasted as its plain text. */
const MAX_CHARACTERS = 500_000
const LINES = ['div', 'section', 'article', 'main', 'header', 'footer', 'address', 'dt', 'dd', 'dl', 'figure']
const BLOCKS = new Set(
  ['p', 'ul', 'ol', 'li', 'pre', 'table', 'blockquote', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'].concat(
    LINES,
  ),
)
const IGNORED = new Set(['head', 'svg', 'object'])

interface Block {
  text: string
  /** One line of several: the next one follows without an empty line. */
  isLine: boolean
}

interface Conversion {
  /** Whether anything but styling was converted. */
  isMarkup: boolean
}

/**
 * Markdown of pasted HTML: links, emphasis, code, lists, tables, headings and quotes. Null if plain text is as good: the HTML
 * is only styling, preformatted text of an editor, or too large.
 */
export function htmlToMarkdown(html: string): string | null {
  if (html.length > MAX_CHARACTERS) return null
  const root = parseHtml(html)
  if (!root || isFromEditor(root)) return null
  const conversion: Conversion = { isMarkup: false }
  const text = keepNecessaryEscapes(joinBlocks(blocksOf(root, conversion)))
  return conversion.isMarkup && text !== '' ? text : null
}

/** Code editors copy their colours: spans in a preformatted element. */
function isFromEditor(root: HtmlNode): boolean {
  let node = root
  for (;;) {
    const elements = node.children.filter(({ name }) => name !== '' && name !== 'meta' && name !== 'head')
    const [only] = elements
    if (!only || elements.length > 1) return false
    if (/white-space:\s*pre/.test(styleOf(only))) return true
    node = only
  }
}

const styleOf = (node: HtmlNode): string => node.attributes.get('style') ?? ''

function joinBlocks(blocks: Block[]): string {
  return blocks.reduce((text, block, index) => {
    if (index === 0) return block.text
    return text + (block.isLine && blocks[index - 1]?.isLine ? '\n' : '\n\n') + block.text
  }, '')
}

function blocksOf(parent: HtmlNode, conversion: Conversion): Block[] {
  const blocks: Block[] = []
  let run = ''
  const endRun = () => {
    const text = trimLines(run)
    if (text !== '') blocks.push({ text: escapeLineStarts(text), isLine: true })
    run = ''
  }
  for (const child of parent.children) {
    if (IGNORED.has(child.name)) continue
    // Google Docs puts whole documents into one inline element.
    if (someNode(child, ({ name }) => BLOCKS.has(name))) {
      endRun()
      blocks.push(...blockOf(child, conversion))
    } else run += inlineOf(child, conversion)
  }
  endRun()
  return blocks
}

function blockOf(element: HtmlNode, conversion: Conversion): Block[] {
  const { name } = element
  const paragraph = (text: string): Block[] => {
    conversion.isMarkup = true
    return [{ text, isLine: false }]
  }
  const inner = () => blocksOf(element, conversion)
  if (name === 'pre') return paragraph(fence(element))
  if (name === 'ul' || name === 'ol') return paragraph(listOf(element, conversion))
  if (name === 'table') return tableOf(element, conversion)
  if (name === 'hr') return paragraph('---')
  if (name === 'blockquote')
    return paragraph(joinBlocks(inner()).replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>'))
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level) return paragraph(`${'#'.repeat(Number(level))} ${joinBlocks(inner()).replaceAll(/\s+/g, ' ')}`)
  if (name === 'p') return inner().map(({ text }) => ({ text, isLine: false }))
  return inner()
}

function fence(element: HtmlNode): string {
  const code = textOf(element).replace(/\n$/, '')
  const inner = element.children.find(({ name }) => name === 'code')
  const classes = [element, inner].map((node) => node?.attributes.get('class') ?? '').join(' ')
  const language = /\blang(?:uage)?-([\w+#-]+)/.exec(classes)?.[1] ?? ''
  const ticks = '`'.repeat(Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([run]) => run.length)) + 1)
  return `${ticks}${language}\n${code}\n${ticks}`
}

function listOf(list: HtmlNode, conversion: Conversion): string {
  let number = Number(list.attributes.get('start') ?? 1) || 1
  const lines: string[] = []
  for (const child of list.children) {
    if (child.name === '') continue
    // Nested lists are inside an item or, in some editors, beside it.
    const isItem = child.name === 'li'
    const blocks = isItem ? blocksOf(child, conversion) : blockOf(child, conversion)
    const marker = list.name === 'ol' ? `${number}. ` : '- '
    const text = blocks.map((block) => block.text).join('\n')
    if (text === '') continue
    if (isItem) number += 1
    const pad = ' '.repeat(marker.length)
    lines.push((isItem ? marker : pad) + text.replaceAll('\n', `\n${pad}`))
  }
  return lines.join('\n')
}

/** The rows of a table, without those of tables in its cells. */
function rowsOf(node: HtmlNode): HtmlNode[] {
  return node.children.flatMap((child) =>
    child.name === 'tr' ? [child] : /^(?:thead|tbody|tfoot)$/.test(child.name) ? rowsOf(child) : [],
  )
}

function tableOf(table: HtmlNode, conversion: Conversion): Block[] {
  const rows = rowsOf(table).map((row) =>
    row.children
      .filter(({ name }) => name === 'td' || name === 'th')
      .map((cell) =>
        joinBlocks(blocksOf(cell, conversion))
          .replaceAll(/\s+/g, ' ')
          .replaceAll('|', String.raw`\|`),
      ),
  )
  const columns = Math.max(0, ...rows.map((row) => row.length))
  // Layout, or one cell of a sheet.
  if (columns < 2) return rows.map((row) => ({ text: row[0] ?? '', isLine: true }))
  conversion.isMarkup = true
  const line = (cells: string[]) =>
    `| ${Array.from({ length: columns }, (_, index) => cells[index] ?? '').join(' | ')} |`
  const [head = [], ...rest] = rows
  const rule = line(Array.from({ length: columns }, () => '---'))
  return [{ text: [line(head), rule, ...rest.map(line)].join('\n'), isLine: false }]
}

function inlineOf(node: HtmlNode, conversion: Conversion): string {
  const { name } = node
  if (name === '') return escapeText(node.text.replaceAll(/[\s\u00A0]+/g, ' '))
  if (IGNORED.has(name)) return ''
  if (name === 'br') return '\n'
  if (name === 'img') return escapeText(node.attributes.get('alt') ?? '')
  if (name === 'input') return boxOf(node)
  if (name === 'code' || name === 'kbd' || name === 'samp' || name === 'tt') {
    conversion.isMarkup = true
    return codeSpan(textOf(node))
  }
  const inner = node.children.map((child) => inlineOf(child, conversion)).join('')
  if (name === 'a') return linkOf(node, inner, conversion)
  return marksOf(node).reduce((text, mark) => {
    conversion.isMarkup = true
    return wrap(text, mark)
  }, inner)
}

function boxOf({ attributes }: HtmlNode): string {
  if (attributes.get('type') !== 'checkbox') return ''
  return attributes.has('checked') ? '[x] ' : '[ ] '
}

/** An attribute of style overrides its element: Google Docs copies all text in a `<b>` of normal weight. */
function marksOf(element: HtmlNode): string[] {
  const { name } = element
  const style = styleOf(element)
  const weight = /font-weight:\s*(\w+)/.exec(style)?.[1]
  const isBold = weight ? weight === 'bold' || Number(weight) >= 600 : name === 'strong' || name === 'b'
  const slant = /font-style:\s*(\w+)/.exec(style)?.[1]
  const isItalic = slant ? slant === 'italic' : name === 'em' || name === 'i'
  const isStruck = name === 'del' || name === 's' || name === 'strike' || /line-through/.test(style)
  return [isStruck ? '~~' : '', isItalic ? '*' : '', isBold ? '**' : ''].filter(Boolean)
}

/** Marks text, with the spaces at its ends outside, since a mark beside a space is text. */
function wrap(text: string, mark: string): string {
  const content = text.trim()
  if (content === '' || content.includes('\n')) return text
  const at = text.indexOf(content)
  return `${text.slice(0, at)}${mark}${content}${mark}${text.slice(at + content.length)}`
}

function codeSpan(code: string): string {
  if (code.trim() === '') return code
  if (!code.includes('`')) return `\`${code}\``
  const ticks = '`'.repeat(Math.max(...[...code.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  return `${ticks} ${code} ${ticks}`
}

function linkOf(element: HtmlNode, inner: string, conversion: Conversion): string {
  const url = readUrl(element.attributes.get('href') ?? '')
  const text = inner.trim()
  if (!url || text === '') return inner
  conversion.isMarkup = true
  const shown = textOf(element).trim()
  if (shown === url || `mailto:${shown}` === url || url === `${shown}/`) return inner.replace(text, shown)
  const at = inner.indexOf(text)
  return `${inner.slice(0, at)}[${text.replaceAll('\n', ' ')}](${linkTarget(url)})${inner.slice(at + text.length)}`
}

/** Backslashes before what would be Markdown. */
function escapeText(text: string): string {
  return text
    .replaceAll(/[\\*`[\]]|~~/g, String.raw`\$&`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/<(?=[/!?a-z])/gi, String.raw`\<`)
}

function escapeLineStarts(text: string): string {
  return text
    .replaceAll(/^(\s*)([#>+-])(?=\s|$)/gm, String.raw`$1\$2`)
    .replaceAll(/^(\s*\d{1,9})([.)])(?=\s|$)/gm, String.raw`$1\$2`)
}

/** Without spaces at the ends of lines, and without empty lines. */
function trimLines(run: string): string {
  return run
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{2,}/g, '\n')
    .trim()
}
