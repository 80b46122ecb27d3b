import { chainCommands, exitCode, joinTextblockForward, splitBlock } from 'prosemirror-commands'
import { closeHistory } from 'prosemirror-history'
import type { Node } from 'prosemirror-model'
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list'
import { Selection, TextSelection, type Command, type EditorState } from 'prosemirror-state'
import { liftTarget } from 'prosemirror-transform'
import { asText } from './formatCommands.ts'
import {
  depthOf,
  isAtLineEnd,
  isList,
  isolateLines,
  joinLists,
  lineBefore,
  withTextSelection,
} from './lines.ts'
import { schema, textBefore } from './schema.ts'

const { nodes } = schema

function cursorOf({ selection }: EditorState) {
  return selection instanceof TextSelection ? selection.$cursor : null
}

const FENCE = /^(?:`{3,}|~{3,})[ \t]*([\w+#.-]*)$/
/** Not with an emoji, which code cannot contain. */
const FENCE_WITH_CODE = /^`{3,}([^`\uFFFC]+)$/

/** A line of a fence, perhaps with a language, becomes a code block. Other text behind the fence is its first line. */
export const beginCode: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  if ($cursor?.parent.type !== nodes.paragraph || !isAtLineEnd($cursor)) return false
  const { text, start } = lineBefore($cursor)
  const [, info] = FENCE.exec(text) ?? []
  const [, code = ''] = info === undefined ? (FENCE_WITH_CODE.exec(text) ?? []) : []
  if (info === undefined && code === '') return false
  if (!dispatch) return true
  const { tr } = state
  tr.delete(start, $cursor.pos - code.length)
  isolateLines(tr, start, start)
  const { from } = tr.selection
  tr.setBlockType(from, from, nodes.codeBlock, { info: info ?? '' })
  if (code !== '') tr.insertText('\n')
  dispatch(tr.scrollIntoView())
  return true
}

/** A line in code, with the indentation of the line before. The third one in succession at the end leaves the code. */
export const newLineInCode: Command = (state, dispatch) => {
  const { $from, $to } = state.selection
  if (!$from.parent.type.spec.code || !$from.sameParent($to)) return false
  const before = textBefore($from.parent, $from.parentOffset)
  const { tr } = state
  const lines = /(?:^|\n)[ \t]*\n[ \t]*$/.exec(before)
  if (lines && state.selection.empty && $from.parentOffset === $from.parent.content.size) {
    if (!dispatch) return true
    const isEmpty = lines.index === 0
    tr.delete($from.start() + lines.index, $from.pos)
    if (isEmpty) asText(tr)
    else {
      const after = tr.doc.resolve(tr.selection.from).after()
      tr.insert(after, nodes.paragraph.create()).setSelection(TextSelection.create(tr.doc, after + 1))
    }
    dispatch(tr.scrollIntoView())
    return true
  }
  const indentation = /[ \t]*/.exec(before.slice(before.lastIndexOf('\n') + 1))![0]
  dispatch?.(tr.insertText(`\n${indentation}`).scrollIntoView())
  return true
}

/** The next item; an empty one ends the list, or its level. */
const newItem: Command = (state, dispatch) => {
  const { $from } = state.selection
  const item = $from.depth > 1 ? $from.node(-1) : null
  if (item?.type !== nodes.item) return false
  if ($from.parent.content.size === 0 && item.childCount === 1)
    return liftListItem(nodes.item)(state, dispatch)
  const isDone = item.attrs['isDone'] === null ? null : false
  if ($from.parent.content.size === 0 && $from.indexAfter(-1) === item.childCount) {
    // Below a quote or code in the item.
    const tr = state.tr.split($from.before(), 1, [{ type: nodes.item, attrs: { number: null, isDone } }])
    dispatch?.(tr.scrollIntoView())
    return true
  }
  return splitListItem(nodes.item, { number: null, isDone })(state, dispatch)
}

/** An empty line at the end of a quote ends it. */
const endQuote: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  if (!$cursor || $cursor.depth < 2 || $cursor.node(-1).type !== nodes.quote) return false
  const { parent, nodeBefore, pos } = $cursor
  const isLast = $cursor.index(-1) === $cursor.node(-1).childCount - 1
  const isEmptyLine =
    parent.content.size === 0 ||
    (isLast && nodeBefore?.type === nodes.lineBreak && $cursor.nodeAfter === null)
  if (!isEmptyLine) return false
  const { tr } = state
  if (nodeBefore) tr.delete(pos - 1, pos).split(pos - 1)
  const range = tr.selection.$from.blockRange()
  const target = range && liftTarget(range)
  if (!range || target === null || target === undefined) return false
  dispatch?.(tr.lift(range, target).scrollIntoView())
  return true
}

const splitHeading: Command = (state, dispatch) =>
  state.selection.$from.parent.type === nodes.heading && splitBlock(state, dispatch)

const breakLine: Command = (state, dispatch) => {
  if (state.selection.$from.parent.type !== nodes.paragraph) return splitBlock(state, dispatch)
  const { storedMarks } = state
  const { tr } = state
  const marks = storedMarks ?? state.selection.$from.marks()
  tr.replaceSelectionWith(nodes.lineBreak.create(), true).ensureMarks(
    marks.filter(({ type }) => type !== schema.marks.code),
  )
  dispatch?.(tr.scrollIntoView())
  return true
}

/** Shift+Enter, and Enter on touch devices. */
export const newLine: Command = chainCommands(
  beginCode,
  newLineInCode,
  newItem,
  endQuote,
  splitHeading,
  breakLine,
)

// Backspace ---------------------------------------------------------------------------------------------

/** Deletes a mention or an emoji before the caret as a whole. */
export const deletePillBefore: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  const before = $cursor?.nodeBefore
  if (!$cursor || !before || !isPill(before)) return false
  dispatch?.(
    closeHistory(state.tr)
      .delete($cursor.pos - 1, $cursor.pos)
      .scrollIntoView(),
  )
  return true
}

export const deletePillAfter: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  const after = $cursor?.nodeAfter
  if (!$cursor || !after || !isPill(after)) return false
  dispatch?.(
    closeHistory(state.tr)
      .delete($cursor.pos, $cursor.pos + 1)
      .scrollIntoView(),
  )
  return true
}

function isPill({ type }: Node): boolean {
  return type === nodes.mention || type === nodes.emoji
}

/** At the beginning of a heading, a code block, an item or a quote: makes it plain. */
export const endFormat: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  if (!$cursor || $cursor.parentOffset > 0) return false
  const { parent, depth } = $cursor
  if (parent.type === nodes.heading || parent.type.spec.code) {
    dispatch?.(asText(state.tr).scrollIntoView())
    return true
  }
  if (depth < 2 || $cursor.index(-1) > 0) return false
  const around = $cursor.node(-1)
  if (around.type === nodes.item) return liftListItem(nodes.item)(state, dispatch)
  if (around.type !== nodes.quote) return false
  const range = $cursor.blockRange()
  const target = range && liftTarget(range)
  if (!range || target === null || target === undefined) return false
  dispatch?.(state.tr.lift(range, target).scrollIntoView())
  return true
}

/** A paragraph below a list or a quote continues its last line. */
export const joinLine: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  if (!$cursor || $cursor.parentOffset > 0 || $cursor.parent.type !== nodes.paragraph) return false
  const $before = state.doc.resolve($cursor.before())
  const { nodeBefore } = $before
  if (!nodeBefore || nodeBefore.isTextblock) return false
  const end = Selection.findFrom($before, -1, true)
  if (!end || end.$head.parent.type !== nodes.paragraph) return false
  const tr = state.tr.delete($before.pos, $cursor.after()).insert(end.head, $cursor.parent.content)
  // The paragraph may have divided a list.
  joinLists(tr, end.head)
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, end.head)).scrollIntoView())
  return true
}

/** Delete at the end of a line continues it with the next paragraph, wherever that is. */
export const joinNextLine: Command = (state, dispatch, view) => {
  const $cursor = cursorOf(state)
  if (!$cursor || $cursor.parentOffset < $cursor.parent.content.size) return false
  const next = Selection.findFrom(state.doc.resolve($cursor.after()), 1, true)
  return next?.$from.parent.type === nodes.paragraph && joinTextblockForward(state, dispatch, view)
}

// Tab and arrows ----------------------------------------------------------------------------------------

const INDENTATION = '  '

/** Where the selected lines of code begin. */
function selectedLineStarts({ selection: { $from, $to } }: EditorState): number[] {
  const text = textBefore($from.parent, $to.parentOffset)
  const first = text.lastIndexOf('\n', $from.parentOffset - 1) + 1
  const starts = [first]
  for (
    let at = text.indexOf('\n', first);
    at >= 0 && at < $to.parentOffset - 1;
    at = text.indexOf('\n', at + 1)
  )
    starts.push(at + 1)
  return starts.map((start) => $from.start() + start)
}

export const indent: Command = (shown, dispatch) => {
  const state = withTextSelection(shown)
  const { $from, $to, empty } = state.selection
  if ($from.parent.type.spec.code && $from.sameParent($to)) {
    const { tr } = state
    if (empty) tr.insertText(INDENTATION)
    else for (const start of selectedLineStarts(state).reverse()) tr.insertText(INDENTATION, start)
    dispatch?.(tr.scrollIntoView())
    return true
  }
  // An item that cannot be indented keeps the focus, so that no key reaches a control beside the field.
  return sinkListItem(nodes.item)(state, dispatch) || depthOf($from, isList) > 0
}

/** The last level ends the list: Shift+Tab leaves the field from there. */
export const outdent: Command = (shown, dispatch) => {
  const state = withTextSelection(shown)
  const { $from, $to } = state.selection
  if ($from.parent.type.spec.code && $from.sameParent($to)) {
    const { tr } = state
    for (const start of selectedLineStarts(state).reverse()) {
      const line = state.doc.textBetween(start, $from.end())
      const { length } = /^(?:\t| {0,2})/.exec(line)![0]
      if (length > 0) tr.delete(start, start + length)
    }
    if (!tr.docChanged) return false
    dispatch?.(tr.scrollIntoView())
    return true
  }
  return liftListItem(nodes.item)(state, dispatch)
}

/** At the end of a message whose last block is code: a paragraph below it. */
export const leaveCodeBelow: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  if (!$cursor?.parent.type.spec.code || $cursor.parentOffset < $cursor.parent.content.size) return false
  if (Selection.findFrom(state.doc.resolve($cursor.after()), 1)) return false
  return exitCode(state, dispatch)
}

/** At the beginning of a message whose first block is code: a paragraph above it. */
export const leaveCodeAbove: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  if (!$cursor?.parent.type.spec.code || $cursor.parentOffset > 0) return false
  if (Selection.findFrom(state.doc.resolve($cursor.before()), -1)) return false
  const before = $cursor.before()
  const tr = state.tr.insert(before, nodes.paragraph.create())
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, before + 1)).scrollIntoView())
  return true
}

/** At the end of a line, or of code in a line: what is typed next has no mark. */
export const leaveMarks: Command = (state, dispatch) => {
  const $cursor = cursorOf(state)
  const active = $cursor ? (state.storedMarks ?? $cursor.marks()) : []
  if (!$cursor || active.length === 0) return false
  const { code } = schema.marks
  const after = $cursor.nodeAfter
  if (isAtLineEnd($cursor)) dispatch?.(state.tr.setStoredMarks([]))
  else if (code.isInSet(active) && after && !code.isInSet(after.marks))
    dispatch?.(state.tr.removeStoredMark(code))
  else return false
  return true
}
