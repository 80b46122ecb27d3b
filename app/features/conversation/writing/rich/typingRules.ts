import { InputRule, undoInputRule } from 'prosemirror-inputrules'
import type { MarkType, Node, NodeType } from 'prosemirror-model'
import {
  Plugin,
  PluginKey,
  Selection,
  type Command,
  type EditorState,
  type Transaction,
} from 'prosemirror-state'
import { findWrapping } from 'prosemirror-transform'
import { safeHref } from '../../../../../wire/body/addresses.ts'
import { characterAt, characterBefore, isWord } from '../../../../../wire/body/letters.ts'
import { canCloseMark, canOpenMark } from '../../../../../wire/body/parseInlines.ts'
import { isolateLines, joinLists, lineBefore } from './lines.ts'
import { schema, textBefore } from './schema.ts'

const { nodes, marks } = schema

/** Whether the last change made a mark whose signs would be text beside a letter. */
const markedKey = new PluginKey<boolean>('marked')

// Marks -------------------------------------------------------------------------------------------------

/** The types of a run of signs; none if the parser reads none. */
function typesOf(signs: string): MarkType[] {
  switch (signs) {
    case '***':
      return [marks.strong, marks.emphasis]
    case '**':
      return [marks.strong]
    case '*':
    case '_':
      return [marks.emphasis]
    case '~~':
      return [marks.strikethrough]
    case '||':
      return [marks.spoiler]
    default:
      return signs.startsWith('`') ? [marks.code] : []
  }
}

/** Signs that end a mark: the text between them and the same signs before gets the mark. */
const markRule = new InputRule(
  /(?:\*{1,3}|_|~~|\|\||`+)$/,
  (state, _match, _start, end, typed) => {
    const $end = state.doc.resolve(end)
    const text = textBefore($end.parent, $end.parentOffset) + typed
    const [signs] = /(.)\1*$/.exec(text)!
    const types = typesOf(signs)
    const open = openingOf(text, signs, $end.parent, $end.parentOffset)
    if (types.length === 0 || open < 0) return null
    const start = $end.start()
    const contentEnd = start + text.length - signs.length
    const { tr } = state
    if (contentEnd < end) tr.delete(contentEnd, end)
    const from = start + open + signs.length
    for (const type of types) {
      if (!$end.parent.type.allowsMarkType(type)) return null
      tr.addMark(from, contentEnd, type.create())
    }
    tr.delete(from - signs.length, from)
    for (const type of types) tr.removeStoredMark(type)
    if (!signs.startsWith('`')) tr.setMeta(markedKey, true)
    return tr
  },
  { inCodeMark: false },
)

/** Where the signs begin that the ones at the end of a text belong to; -1 if the parser reads no mark. */
function openingOf(text: string, signs: string, parent: Node, size: number): number {
  const sign = signs[0]!
  const close = text.length - signs.length
  const isCode = sign === '`'
  const after =
    size < parent.content.size ? characterAt(parent.textBetween(size, parent.content.size, null, ' '), 0) : ''
  if (!isCode && !canCloseMark(signs.length, characterBefore(text, close), after)) return -1
  for (let at = close - 1; at >= 0;) {
    const last = text.lastIndexOf(sign, at)
    if (last < 0) return -1
    let first = last
    while (text[first - 1] === sign) first -= 1
    at = first - 1
    const content = text.slice(last + 1, close)
    if (last + 1 - first !== signs.length || content.trim() === '' || isInCode(parent, first)) continue
    if (isCode) return content.includes('\n') || text[first - 1] === '\\' ? -1 : first
    if (canOpenMark(signs.length, characterBefore(text, first), characterAt(text, last + 1))) return first
  }
  return -1
}

function isInCode(parent: Node, offset: number): boolean {
  const { node } = parent.childAfter(offset)
  return node !== null && marks.code.isInSet(node.marks) !== undefined
}

/** `[text](address)`. */
const linkRule = new InputRule(
  /(?<![!\\])\[([^[\]\n]+)\]\(([^\s()<>]+)\)$/,
  (state, [, label = '', address = ''], start, end) => {
    const href = safeHref(address)
    if (href === null || !state.doc.resolve(start).parent.inlineContent) return null
    const from = start + 1
    const tr = state.tr.delete(from + label.length, end)
    tr.addMark(from, from + label.length, marks.link.create({ href })).delete(start, from)
    return tr.removeStoredMark(marks.link)
  },
  { inCodeMark: false },
)

/** A letter directly behind the signs makes them text: "2 *3*4". */
const wordPlugin = new Plugin<boolean>({
  key: markedKey,
  state: {
    init: () => false,
    apply: (tr, before) => tr.getMeta(markedKey) === true || (before && !tr.docChanged && !tr.selectionSet),
  },
  props: {
    handleTextInput(view, _from, _to, text) {
      if (!markedKey.getState(view.state) || !isWord(characterAt(text, 0))) return false
      if (!undoInputRule(view.state, view.dispatch)) return false
      view.dispatch(view.state.tr.insertText(text).scrollIntoView())
      return true
    },
  },
})

// Blocks ------------------------------------------------------------------------------------------------

/** A sign and a space at the beginning of a line. */
function blockRule(sign: RegExp, apply: (tr: Transaction, found: RegExpExecArray) => boolean): InputRule {
  return new InputRule(/ $/, (state, _match, _start, end, typed) => {
    const $end = state.doc.resolve(end)
    if ($end.parent.type !== nodes.paragraph) return null
    const { text, start } = lineBefore($end)
    const found = sign.exec(text + typed)
    if (!found) return null
    const tr = state.tr.delete(start, end)
    isolateLines(tr, start, start)
    return apply(tr, found) ? tr : null
  })
}

function wrap(tr: Transaction, type: NodeType, attrs: Record<string, unknown>): boolean {
  const range = tr.selection.$from.blockRange()
  const wrapping = range && findWrapping(range, type, attrs)
  if (!wrapping) return false
  tr.wrap(range, wrapping)
  joinLists(tr, tr.selection.from)
  return true
}

const quoteRule = blockRule(/^> $/, (tr) => wrap(tr, nodes.quote, {}))
const bulletRule = blockRule(/^([-*]) $/, (tr, [, kind]) => wrap(tr, nodes.bulletList, { kind }))
const numberRule = blockRule(/^1([.)]) $/, (tr, [, kind]) => wrap(tr, nodes.orderedList, { kind, start: 1 }))
const headingRule = blockRule(/^(#{1,6}) $/, (tr, [, signs = '']) => {
  const { $from, from } = tr.selection
  if ($from.depth > 1) return false
  tr.setBlockType(from, from, nodes.heading, { level: signs.length })
  return true
})
const taskRule = blockRule(/^\[([ xX])\] $/, (tr, [, box]) => {
  const { $from } = tr.selection
  if ($from.depth < 2 || $from.node(-1).type !== nodes.item || $from.index(-1) > 0) return false
  const { attrs } = $from.node(-1)
  tr.setNodeMarkup($from.before($from.depth - 1), null, { ...attrs, isDone: box !== ' ' })
  return true
})

/** A fence below code ends it. */
const codeEndRule = new InputRule(
  /(?:^|\n)`{3,}$/,
  (state, match, start, end) => {
    const $end = state.doc.resolve(end)
    if ($end.parent.type !== nodes.codeBlock || $end.parentOffset < $end.parent.content.size) return null
    if (match.index === 0 && !match[0].startsWith('\n')) return null
    const tr = state.tr.delete(start, end)
    const after = tr.doc.resolve(start).after()
    tr.insert(after, nodes.paragraph.create())
    return tr.setSelection(Selection.near(tr.doc.resolve(after + 1)))
  },
  { inCode: 'only' },
)

/** Signs that format as they are typed. */
export const typingRules = [
  markRule,
  linkRule,
  quoteRule,
  bulletRule,
  numberRule,
  headingRule,
  taskRule,
  codeEndRule,
]

// Signs over a selection --------------------------------------------------------------------------------

/** The change of a sign that is typed over selected text; null: it replaces the text. */
function wrapSelection(state: EditorState, sign: string): Transaction | null {
  const { from, to, $from } = state.selection
  const types = SIGNS[sign]
  if (!types || from === to || $from.parent.type.spec.code) return null
  const { tr } = state
  // A second asterisk makes italic text bold.
  const has = (type: MarkType) => state.doc.rangeHasMark(from, to, type)
  const isSecond = sign === '*' && has(marks.emphasis) && !has(marks.strong)
  if (isSecond) tr.removeMark(from, to, marks.emphasis).addMark(from, to, marks.strong.create())
  else tr.addMark(from, to, types.create())
  return tr
}

const SIGNS: Record<string, MarkType | undefined> = {
  '*': marks.emphasis,
  _: marks.emphasis,
  '~': marks.strikethrough,
  '|': marks.spoiler,
  '`': marks.code,
}

const wrapPlugin = new Plugin({
  props: {
    handleTextInput(view, from, to, text) {
      const { selection } = view.state
      const tr = from === selection.from && to === selection.to ? wrapSelection(view.state, text) : null
      if (tr) view.dispatch(tr)
      return tr !== null
    },
  },
})

/** They come before the plugin of the rules. */
export const typingPlugins = [wrapPlugin, wordPlugin]

/** Makes what a rule has formatted text again. */
export const undoRule: Command = undoInputRule
