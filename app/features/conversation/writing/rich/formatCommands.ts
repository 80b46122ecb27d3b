import { toggleMark } from 'prosemirror-commands'
import type { MarkType, Node, NodeType } from 'prosemirror-model'
import { liftListItem, wrapRangeInList } from 'prosemirror-schema-list'
import { TextSelection, type Command, type EditorState, type Transaction } from 'prosemirror-state'
import { findWrapping, liftTarget } from 'prosemirror-transform'
import type { Format } from '../formats.ts'
import { depthOf, isList, isolateLines, joinLists, splitLines, withTextSelection } from './lines.ts'
import { leafText, schema } from './schema.ts'

const { nodes, marks } = schema

const MARKS = {
  bold: marks.strong,
  italic: marks.emphasis,
  strike: marks.strikethrough,
  code: marks.code,
} as const

type ListFormat = 'bullets' | 'numbers' | 'tasks'

/** The command that applies or removes a format. A link needs an address: `LinkForm`. */
export function formatCommand(format: Exclude<Format, 'link'>): Command {
  const command = commandOf(format)
  return (state, dispatch, view) => command(withTextSelection(state), dispatch, view)
}

function commandOf(format: Exclude<Format, 'link'>): Command {
  switch (format) {
    case 'bold':
    case 'italic':
    case 'strike':
    case 'code':
      return toggleMark(MARKS[format], null, { removeWhenPresent: false })
    case 'codeBlock':
      return toggleCodeBlock
    case 'quote':
      return toggleQuote
    default:
      return toggleList(format)
  }
}

/** The formats at the selection. */
export function activeFormats(shown: EditorState): ReadonlySet<Format> {
  const state = withTextSelection(shown)
  const { $from } = state.selection
  const found = new Set<Format>()
  for (const [format, type] of Object.entries(MARKS)) if (hasMark(state, type)) found.add(format as Format)
  if (hasMark(state, marks.link)) found.add('link')
  if ($from.parent.type === nodes.codeBlock) found.add('codeBlock')
  if (depthOf($from, ({ type }) => type === nodes.quote) > 0) found.add('quote')
  const list = listFormat(state)
  if (list) found.add(list)
  return found
}

/** Whether the selection, or what is typed next, has a mark. */
export function hasMark({ selection, storedMarks, doc }: EditorState, type: MarkType): boolean {
  const { $from, from, to, empty } = selection
  return empty ? type.isInSet(storedMarks ?? $from.marks()) !== undefined : doc.rangeHasMark(from, to, type)
}

function listFormat({ selection: { $from } }: EditorState): ListFormat | null {
  const depth = depthOf($from, isList)
  if (depth < 0) return null
  if ($from.node(depth + 1).attrs['isDone'] !== null) return 'tasks'
  return $from.node(depth).type === nodes.orderedList ? 'numbers' : 'bullets'
}

function toggleList(format: ListFormat): Command {
  const type = format === 'numbers' ? nodes.orderedList : nodes.bulletList
  const isDone = format === 'tasks' ? false : null
  return (state, dispatch) => {
    const current = listFormat(state)
    if (current === format) return liftListItem(nodes.item)(state, dispatch)
    if (state.selection.$from.parent.type.spec.code) return false
    if (!dispatch) return true
    const { tr } = state
    if (current === null) {
      isolateLines(tr, tr.selection.from, tr.selection.to)
      splitLines(tr, tr.selection.from, tr.selection.to)
      asParagraphs(tr)
      const range = tr.selection.$from.blockRange(tr.selection.$to)
      if (!range || !wrapRangeInList(tr, range, type)) return false
    } else changeList(tr, type)
    setTasks(tr, isDone)
    joinLists(tr, tr.selection.from)
    dispatch(tr.scrollIntoView())
    return true
  }
}

/** An item does not begin with a heading. */
function asParagraphs(tr: Transaction): void {
  tr.setBlockType(tr.selection.from, tr.selection.to, nodes.paragraph)
}

function changeList(tr: Transaction, type: NodeType): void {
  const { $from } = tr.selection
  const depth = depthOf($from, isList)
  if ($from.node(depth).type !== type) tr.setNodeMarkup($from.before(depth), type, {})
}

function setTasks(tr: Transaction, isDone: boolean | null): void {
  const { from, to, $from } = tr.selection
  const list = $from.node(depthOf($from, isList))
  tr.doc.nodesBetween(from, to, (node, at, parent) => {
    if (node.type === nodes.item && parent === list)
      tr.setNodeMarkup(at, null, { ...node.attrs, number: null, isDone })
  })
}

const toggleQuote: Command = (state, dispatch) => {
  const { tr } = state
  isolateLines(tr, state.selection.from, state.selection.to)
  const { $from, $to } = tr.selection
  if (depthOf($from, ({ type }) => type === nodes.quote) > 0) {
    const range = $from.blockRange($to, ({ type }) => type === nodes.quote)
    const target = range && liftTarget(range)
    if (!range || target === null || target === undefined) return false
    dispatch?.(tr.lift(range, target).scrollIntoView())
    return true
  }
  const range = $from.blockRange($to)
  const wrapping = range && findWrapping(range, nodes.quote)
  if (!wrapping) return false
  dispatch?.(tr.wrap(range, wrapping).scrollIntoView())
  return true
}

/** The content of a block as code: emoji as their names, without marks. */
export function codeNodes(block: Node): Node[] {
  return block.children.map((child) =>
    child.type === nodes.mention ? child.mark([]) : schema.text(child.text ?? leafText(child)),
  )
}

const toggleCodeBlock: Command = (state, dispatch) => {
  const { $from } = state.selection
  if ($from.parent.type.spec.code) {
    dispatch?.(asText(state.tr).scrollIntoView())
    return true
  }
  const { tr } = state
  isolateLines(tr, tr.selection.from, tr.selection.to)
  const { from: at } = tr.selection
  const range = tr.selection.$from.blockRange(tr.selection.$to)
  if (!range) return false
  const { start, end } = range
  const code: Node[] = []
  tr.doc.nodesBetween(start, end, (node) => {
    if (!node.isTextblock) return true
    if (code.length > 0) code.push(schema.text('\n'))
    code.push(...codeNodes(node))
    return false
  })
  if (!range.parent.canReplaceWith(range.startIndex, range.endIndex, nodes.codeBlock)) return false
  const block = nodes.codeBlock.create(null, code)
  tr.replaceRangeWith(start, end, block)
  const inside = tr.doc.resolve(tr.mapping.map(start, -1) + 1)
  tr.setSelection(
    TextSelection.create(
      tr.doc,
      state.selection.empty ? Math.min(Math.max(at, inside.start()), inside.end()) : inside.end(),
    ),
  )
  dispatch?.(tr.scrollIntoView())
  return true
}

/** Makes the code at the selection a paragraph. */
export function asText(tr: Transaction): Transaction {
  const { from, to } = tr.selection
  return tr.setBlockType(from, to, nodes.paragraph)
}

/** Makes the selection, or the link at the caret, a link; elsewhere inserts the address. An empty address removes the link. */
export function linkCommand(href: string): Command {
  return (state, dispatch) => {
    const { from, to } = linkRange(state)
    const { tr } = state
    if (from === to) {
      dispatch?.(tr.insertText(href.replace(/^mailto:/, '')).scrollIntoView())
      return true
    }
    tr.removeMark(from, to, marks.link)
    if (href !== '') tr.addMark(from, to, marks.link.create({ href }))
    // What is typed next would replace a selection.
    dispatch?.(tr.setSelection(TextSelection.create(tr.doc, to)).scrollIntoView())
    return true
  }
}

/** The address of the link at the selection; empty if there is none. */
export function linkAt(state: EditorState): string {
  const { $from, from, to, empty } = state.selection
  if (empty) return marks.link.isInSet($from.marks())?.attrs['href'] ?? ''
  let href = ''
  state.doc.nodesBetween(from, to, (node) => {
    href ||= marks.link.isInSet(node.marks)?.attrs['href'] ?? ''
  })
  return href
}

/** The selection; at a caret, the link around it. */
function linkRange({ selection }: EditorState): { from: number; to: number } {
  const { $from, from, to, empty } = selection
  const link = marks.link.isInSet($from.marks())
  if (!empty || !link) return { from, to }
  const { parent } = $from
  let index = $from.index()
  if (index === parent.childCount || !link.isInSet(parent.child(index).marks)) index -= 1
  let first = index
  let last = index
  while (first > 0 && link.isInSet(parent.child(first - 1).marks)) first -= 1
  while (last + 1 < parent.childCount && link.isInSet(parent.child(last + 1).marks)) last += 1
  const sizeOf = (count: number) =>
    parent.children.slice(0, count).reduce((sum, { nodeSize }) => sum + nodeSize, 0)
  return { from: $from.start() + sizeOf(first), to: $from.start() + sizeOf(last + 1) }
}
