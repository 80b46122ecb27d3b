import { Fragment, Slice, type Node } from 'prosemirror-model'
import { closeHistory } from 'prosemirror-history'
import { TextSelection, type EditorState, type Transaction } from 'prosemirror-state'
import { safeHref } from '../../../../../wire/body/addresses.ts'
import { parseBody } from '../../../../../wire/body/parseBody.ts'
import { renderTyped } from '../../../../../wire/body/renderMarkdown.ts'
import { decodeMentions } from '../../../parts/body/mentionText.ts'
import { htmlToMarkdown } from '../paste/htmlToMarkdown.ts'
import { readUrl } from '../textEdits.ts'
import { blocksOf } from './blocksOf.ts'
import { docOf } from './docOf.ts'
import { isList, lineBefore } from './lines.ts'
import { leafText, schema } from './schema.ts'

const { nodes, marks } = schema

/**
 * The attribute of copied HTML with its text in the stored form, which has mentions. Not a type of its own: Firefox does not
 * keep it.
 */
const STORED = 'data-linnet-body'

/** The stored form in HTML that another field has copied; empty if there is none. */
function storedIn(html: string): string {
  const encoded = new RegExp(`^(?:<[^>]*>|\\s)*<div ${STORED}="([^"]*)"`).exec(html)?.[1] ?? ''
  try {
    return decodeURIComponent(encoded)
  } catch {
    return ''
  }
}

function withStored(html: string, stored: string): string {
  try {
    return `<div ${STORED}="${encodeURIComponent(stored)}">${html}</div>`
  } catch {
    // Half of a character of two units.
    return html
  }
}

/** What of `DataTransfer` is read. */
type Formats = Pick<DataTransfer, 'getData'>

/** The change that pastes the formats of a clipboard, one step of the history; null if they have no text. */
export function pasteTransaction(state: EditorState, data: Formats, isPlain: boolean): Transaction | null {
  const plain = data.getData('text/plain').replaceAll(/\r\n?/g, '\n')
  const { tr } = state
  closeHistory(tr)
  const { from, to, $from } = state.selection
  if ($from.parent.type.spec.code) return plain === '' ? null : tr.insertText(plain).scrollIntoView()
  const html = isPlain ? '' : data.getData('text/html')
  const stored = storedIn(html)
  const url = isPlain || stored !== '' ? null : readUrl(plain)
  const href = url === null ? null : safeHref(url)
  if (href !== null && canLink(state)) {
    tr.addMark(from, to, marks.link.create({ href }))
    return tr.setSelection(TextSelection.create(tr.doc, to))
  }
  const markdown = stored || (html === '' ? null : htmlToMarkdown(html))
  const slice = isPlain ? plainSlice(plain) : richSlice(state, markdown, plain)
  if (slice.size === 0) return null
  const active = state.storedMarks ?? $from.marks()
  // What is typed behind pasted text is not formatted like its end.
  return tr.replaceSelection(slice).setStoredMarks(active).scrollIntoView()
}

/** Whether text is selected that can become a link. */
function canLink({ selection, doc }: EditorState): boolean {
  const { from, to, $from, $to } = selection
  const selected = doc.textBetween(from, to, '\n', leafText)
  return $from.sameParent($to) && selected.trim() !== '' && !readUrl(selected) && !selected.includes('\n')
}

/** Text without formats. An empty line divides paragraphs. */
function plainSlice(text: string): Slice {
  const paragraphs = text
    .split(/\n{2,}/)
    .map((part) => nodes.paragraph.create(null, part.split('\n').flatMap(lineNodes)))
  return new Slice(Fragment.from(paragraphs), 1, 1)
}

function lineNodes(line: string, at: number): Node[] {
  const text = line === '' ? [] : [schema.text(line)]
  return at === 0 ? text : [nodes.lineBreak.create(), ...text]
}

/** Stands for what is before the caret: a sign there begins no list. */
const PLACEHOLDER = '\uE000'

/** `markdown`: of copied HTML; empty or null: the text is Markdown if it is anything. */
function richSlice(state: EditorState, markdown: string | null, plain: string): Slice {
  const isText = !markdown
  const { $from } = state.selection
  const hasPlaceholder = isText && $from.parent.inlineContent && lineBefore($from).text.trim() !== ''
  // Without a text below it, a heading is text with its signs.
  const source = isText ? plain : markdown.replace(/^#{1,6} (?=.*$)/, '')
  let { content } = docOf(parseBody(hasPlaceholder ? PLACEHOLDER + source : source))
  if (isText && isIndentedText(plain, content)) return codeSlice(plain)
  const [start = '', end = ''] = edgesOf(plain)
  const text = (blanks: string) => (blanks === '' ? Fragment.empty : Fragment.from(schema.text(blanks)))
  const { firstChild } = content
  if (hasPlaceholder && firstChild?.isTextblock)
    content = content.replaceChild(0, withoutPlaceholder(firstChild))
  const only = content.childCount === 1 ? content.firstChild! : null
  // The placeholder has kept the blanks before; several lines keep none.
  if (only?.type === nodes.paragraph && !plain.includes('\n') && !(hasPlaceholder && /^[ \t]/.test(source)))
    content = content.replaceChild(0, only.copy(text(start).append(only.content)))
  const { lastChild } = content
  if (lastChild?.type === nodes.paragraph)
    content = content.replaceChild(
      content.childCount - 1,
      lastChild.copy(lastChild.content.append(text(end))),
    )
  // An item of a list continues the list.
  if (
    isList(content.firstChild!) &&
    content.childCount === 1 &&
    $from.depth > 1 &&
    $from.node(-1).type === nodes.item
  )
    return Slice.maxOpen(content)
  // What is typed behind the source of a table would be part of its last cell.
  if (content.lastChild?.type === nodes.source) content = content.addToEnd(nodes.paragraph.create())
  const isOpen = (node: Node | null) => (node?.type === nodes.paragraph ? 1 : 0)
  return new Slice(content, isOpen(content.firstChild), isOpen(content.lastChild))
}

/** Whether a text has no blocks but paragraphs, which would lose the indentation of its lines: code. */
function isIndentedText(text: string, content: Fragment): boolean {
  return /\n(?:\t| {2,})\S/.test(text) && content.content.every(({ type }) => type === nodes.paragraph)
}

function codeSlice(text: string): Slice {
  return new Slice(Fragment.from(nodes.codeBlock.create(null, schema.text(text.replace(/\n+$/, '')))), 0, 0)
}

/** The blanks around a text, which are no part of a message. */
function edgesOf(text: string): string[] {
  return text.trim() === '' ? [text, ''] : [/^[ \t]*/.exec(text)![0], /[ \t]*$/.exec(text)![0]]
}

function withoutPlaceholder(block: Node): Node {
  const { firstChild } = block
  if (!firstChild?.text?.startsWith(PLACEHOLDER)) return block
  return block.cut(1)
}

/** Writes selected content to a clipboard: as text with names, and as HTML, which has the stored form. */
export function copySlice(data: Pick<DataTransfer, 'setData'>, slice: Slice, html: string): void {
  const block = onlyBlock(slice)
  data.setData('text/plain', plainText(slice))
  // A part of code is pasted as text.
  if (block?.type.spec.code) return
  // A part of an item is no list.
  const content = block ? Fragment.from(nodes.paragraph.create(null, block.content)) : slice.content
  data.setData('text/html', withStored(html, renderTyped(blocksOf(nodes.doc.create(null, content)))))
}

/** The block of text that is partly selected; null if several blocks are selected. */
function onlyBlock({ content, openStart }: Slice): Node | null {
  let { firstChild, childCount } = content
  while (firstChild && childCount === 1 && !firstChild.isTextblock) ({ firstChild, childCount } = firstChild)
  const isPart = openStart > 0 || content.firstChild!.type === nodes.paragraph
  return isPart && childCount === 1 ? firstChild : null
}

/** The text of one block, else Markdown, with the names of mentions. */
export function plainText(slice: Slice): string {
  const block = onlyBlock(slice)
  if (block) return block.textBetween(0, block.content.size, '\n', leafText)
  return decodeMentions(renderTyped(blocksOf(nodes.doc.create(null, slice.content))))
}
