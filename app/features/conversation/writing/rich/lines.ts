import type { Node, ResolvedPos } from 'prosemirror-model'
import { AllSelection, TextSelection, type EditorState, type Transaction } from 'prosemirror-state'
import { schema, textBefore } from './schema.ts'

const { nodes } = schema

/** What was typed in the line of a position, and where the line begins in the document. */
export function lineBefore($pos: ResolvedPos): { text: string; start: number } {
  const text = textBefore($pos.parent, $pos.parentOffset)
  const from = text.lastIndexOf('\n') + 1
  return { text: text.slice(from), start: $pos.start() + from }
}

/** The line around a position. */
export function lineAround($pos: ResolvedPos): { from: number; to: number } {
  const rest = textBefore($pos.parent, $pos.parent.content.size).slice($pos.parentOffset)
  const length = rest.indexOf('\n')
  return { from: lineBefore($pos).start, to: length < 0 ? $pos.end() : $pos.pos + length }
}

/** The state with a selection of text in place of a selection of everything, whose edges are in no line. */
export function withTextSelection(state: EditorState): EditorState {
  const { doc, selection, tr } = state
  if (!(selection instanceof AllSelection)) return state
  return state.apply(tr.setSelection(TextSelection.between(doc.resolve(0), doc.resolve(doc.content.size))))
}

/** Whether the next node, or what is before, is a line break or the edge of the block. */
export function isAtLineEnd($pos: ResolvedPos): boolean {
  const { nodeAfter, parent } = $pos
  if (parent.type.spec.code) return nodeAfter === null || (nodeAfter.text ?? '').startsWith('\n')
  return nodeAfter === null || nodeAfter.type === nodes.lineBreak
}

/** Makes the lines from one position to another a paragraph of their own. */
export function isolateLines(tr: Transaction, from: number, to: number): void {
  splitAtBreak(tr, tr.doc.resolve(to), false)
  splitAtBreak(tr, tr.doc.resolve(from), true)
}

/** Splits a paragraph at the nearest line break before or behind a position. */
function splitAtBreak(tr: Transaction, $pos: ResolvedPos, isBefore: boolean): void {
  const { parent, parentOffset } = $pos
  if (parent.type !== nodes.paragraph) return
  let found: number | null = null
  parent.forEach((child, offset) => {
    if (child.type !== nodes.lineBreak) return
    if (isBefore && offset < parentOffset) found = offset
    if (!isBefore && offset >= parentOffset) found ??= offset
  })
  if (found !== null) splitBreak(tr, $pos.start() + found)
}

/** Splits a paragraph at a line break. An edge of the selection that is at the end of the line stays there. */
function splitBreak(tr: Transaction, at: number): void {
  const { selection } = tr
  const moved = (pos: number) => (pos <= at ? pos : pos + 1)
  tr.delete(at, at + 1).split(at)
  if (selection instanceof TextSelection)
    tr.setSelection(TextSelection.create(tr.doc, moved(selection.anchor), moved(selection.head)))
}

/** Makes each line of the paragraphs in a range a paragraph. */
export function splitLines(tr: Transaction, from: number, to: number): void {
  const breaks: number[] = []
  tr.doc.nodesBetween(from, to, (node, at, parent) => {
    if (node.type === nodes.lineBreak && at >= from && at < to && parent?.type === nodes.paragraph)
      breaks.push(at)
  })
  for (const at of breaks.reverse()) splitBreak(tr, at)
}

/** The depth of the nearest node of a type around a position; -1 if there is none. */
export function depthOf($pos: ResolvedPos, is: (node: Node) => boolean): number {
  let { depth } = $pos
  while (depth > 0 && !is($pos.node(depth))) depth -= 1
  return depth > 0 ? depth : -1
}

export function isList({ type }: Node): boolean {
  return type === nodes.bulletList || type === nodes.orderedList
}

/** Joins the list at a position with lists of the same kind beside it. */
export function joinLists(tr: Transaction, pos: number): void {
  const $pos = tr.doc.resolve(Math.min(pos, tr.doc.content.size))
  const depth = depthOf($pos, isList)
  if (depth < 0) return
  const list = $pos.node(depth)
  const isSame = (other: Node | null) =>
    other !== null && other.type === list.type && other.attrs['kind'] === list.attrs['kind']
  const after = $pos.after(depth)
  const before = $pos.before(depth)
  if (isSame(tr.doc.resolve(after).nodeAfter)) tr.join(after)
  if (isSame(tr.doc.resolve(before).nodeBefore)) tr.join(before)
}
