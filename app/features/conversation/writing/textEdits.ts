/** A text and its selection; without a selection `start` equals `end`. Indexes are UTF-16 code units, as in the DOM. */
export interface TextState {
  text: string
  start: number
  end: number
}

/** Replaces the range from `from` to `to`, and selects `start` to `end` of the new text. */
export interface TextEdit {
  from: number
  to: number
  insert: string
  start: number
  end: number
}

/** The new text and selection. */
export function applyEdit({ text }: TextState, edit: TextEdit): TextState {
  const changed = text.slice(0, edit.from) + edit.insert + text.slice(edit.to)
  return { text: changed, start: edit.start, end: edit.end }
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

// Fences ------------------------------------------------------------------------------------------------

const FENCE = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/

/** Whether a line that ends at `at` would be code: a fence is open there. */
export function isInFence(text: string, at: number): boolean {
  if (!text.includes('```') && !text.includes('~~~')) return false
  let open: string | null = null
  for (const line of text.slice(0, at).split('\n')) {
    const found = FENCE.exec(line)
    const fence = found?.[1] ?? found?.[2]
    if (!fence) continue
    if (open === null) open = fence
    else if (fence.startsWith(open) && line.trim() === fence) open = null
  }
  return open !== null
}

/** A fence that the text does not contain. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}

/** Puts the selection, or the caret, into a code block. Null in a code block. */
export function wrapInCodeBlock({ text, start, end }: TextState): TextEdit | null {
  if (isInFence(text, start)) return null
  const selected = text.slice(start, end)
  const fence = fenceFor(selected)
  const before = start > lineStart(text, start) ? '\n' : ''
  const after = end < lineEnd(text, end) ? '\n' : ''
  const head = `${before}${fence}\n`
  const from = start + head.length
  return {
    from: start,
    to: end,
    insert: `${head}${selected}\n${fence}${after}`,
    start: from,
    end: from + selected.length,
  }
}

// Marks -------------------------------------------------------------------------------------------------

export type Mark = '**' | '*' | '~~' | '`'

function countBackwards(text: string, at: number, sign: string): number {
  let count = 0
  while (text[at - 1 - count] === sign) count += 1
  return count
}

function countForwards(text: string, at: number, sign: string): number {
  let count = 0
  while (text[at + count] === sign) count += 1
  return count
}

/** Whether so many equal signs on both sides contain the mark: three asterisks are bold and italic. */
function contains(count: number, mark: Mark): boolean {
  return mark === '*' ? count % 2 === 1 : count >= mark.length
}

/**
 * Marks the selection, or removes the mark around it or at its ends. Without a selection it inserts a pair with the caret
 * between. Lines are marked one by one, since a mark ends with its paragraph.
 */
export function toggleMark(state: TextState, mark: Mark): TextEdit {
  const { text } = state
  let { start, end } = state
  while (start < end && /\s/.test(text[start] ?? '')) start += 1
  while (start < end && /\s/.test(text[end - 1] ?? '')) end -= 1
  const sign = mark[0] ?? ''
  const outside = Math.min(countBackwards(text, start, sign), countForwards(text, end, sign))
  const { length } = mark
  if (contains(outside, mark)) {
    const insert = text.slice(start, end)
    return { from: start - length, to: end + length, insert, start: start - length, end: end - length }
  }
  const inside = Math.min(countForwards(text, start, sign), countBackwards(text, end, sign))
  if (contains(inside, mark) && end - start > 2 * length) {
    const insert = text.slice(start + length, end - length)
    return { from: start, to: end, insert, start, end: end - 2 * length }
  }
  const lines = text.slice(start, end).split('\n')
  if (lines.length > 1) {
    const insert = lines.map((line, index) => markLine(line, mark, index > 0)).join('\n')
    return { from: start, to: end, insert, start, end: start + insert.length }
  }
  const insert = `${mark}${text.slice(start, end)}${mark}`
  return { from: start, to: end, insert, start: start + length, end: end + length }
}

function markLine(line: string, mark: Mark, isWhole: boolean): string {
  const prefix = isWhole ? readLine(line).prefix : ''
  const content = line.slice(prefix.length)
  return content.trim() === '' ? line : `${prefix}${mark}${content.trimEnd()}${mark}`
}

// Links -------------------------------------------------------------------------------------------------

const URL_ALONE = /^(?:https?:\/\/|mailto:)[^\s<>]+$/i

/** The pasted text if it is one address of a web page or a mailbox; else null. */
export function readUrl(pasted: string): string | null {
  const trimmed = pasted.trim()
  return URL_ALONE.test(trimmed) ? trimmed : null
}

/** An address in the parentheses of a link: parentheses of its own would end it. */
export function linkTarget(url: string): string {
  return url.replaceAll('(', '%28').replaceAll(')', '%29')
}

/** Makes the selection a link. The caret is where the address, or the text of an address, is to be typed. */
export function insertLink({ text, start, end }: TextState): TextEdit {
  const selected = text.slice(start, end)
  const url = readUrl(selected)
  const insert = url ? `[](${linkTarget(url)})` : `[${selected}]()`
  const caret = start + (url || selected === '' ? 1 : insert.length - 1)
  return { from: start, to: end, insert, start: caret, end: caret }
}

/**
 * A pasted address makes the selected text a link. Null if that is not possible: nothing, another address or several
 * lines are selected, or code.
 */
export function pasteLink({ text, start, end }: TextState, pasted: string): TextEdit | null {
  const url = readUrl(pasted)
  const selected = text.slice(start, end)
  if (!url || selected.trim() === '' || readUrl(selected) || /[\n[\]]/.test(selected)) return null
  if (isInFence(text, start)) return null
  const insert = `[${selected}](${linkTarget(url)})`
  return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length }
}

// Lists and quotes --------------------------------------------------------------------------------------

interface Line {
  /** Quote signs, indentation and marker: everything before the content. */
  prefix: string
  /** `> ` for each level. */
  quote: string
  indent: string
  /** `-`, `*`, `+`, `1.` or `1)`; empty: no item. */
  marker: string
  /** Spaces after the marker. */
  gap: string
  /** `[ ] ` or `[x] `. */
  box: string
}

const LINE = /^((?: {0,3}> ?)*)([ \t]*)(?:([-*+]|\d{1,9}[.)])([ \t]+)(\[[ xX]\][ \t]+)?)?/

function readLine(line: string): Line {
  const [prefix = '', quote = '', indent = '', marker = '', gap = '', box = ''] = LINE.exec(line) ?? []
  return { prefix, quote, indent, marker, gap, box }
}

/** The number after that of a marker; other markers repeat. */
function nextMarker(marker: string): string {
  const number = Number.parseInt(marker, 10)
  return Number.isNaN(number) ? marker : `${number + 1}${marker.at(-1)}`
}

/**
 * Starts a new line: lists, task lists and quotes continue, an empty item or quote ends, and code keeps its indentation.
 */
export function insertLine(state: TextState): TextEdit {
  const { text, start, end } = state
  const from = lineStart(text, start)
  const line = text.slice(from, lineEnd(text, end))
  const replaceSelection = (insert: string): TextEdit => {
    const caret = start + insert.length
    return { from: start, to: end, insert, start: caret, end: caret }
  }
  if (isInFence(text, start)) {
    return replaceSelection(`\n${/^[ \t]*/.exec(text.slice(from, start))?.[0] ?? ''}`)
  }
  const { prefix, quote, indent, marker, gap, box } = readLine(line)
  if ((marker === '' && quote === '') || start - from < prefix.length) return replaceSelection('\n')
  if (start === end && line.slice(prefix.length).trim() === '') {
    if (marker && indent) return outdent(state) ?? replaceSelection('\n')
    const kept = marker ? quote : ''
    return { from, to: from + line.length, insert: kept, start: from + kept.length, end: from + kept.length }
  }
  if (marker === '') return replaceSelection(`\n${quote}${indent}`)
  return replaceSelection(`\n${quote}${indent}${nextMarker(marker)}${gap}${box ? '[ ] ' : ''}`)
}

export type LineKind = 'quote' | 'bullets' | 'numbers' | 'tasks'

/** Makes the selected lines a quote or list, or plain text again if all of them are one. */
export function toggleLines({ text, start, end }: TextState, kind: LineKind): TextEdit {
  const from = lineStart(text, start)
  // A selection that ends at the beginning of a line does not include it.
  const last = end > start && text[end - 1] === '\n' ? end - 1 : end
  const to = lineEnd(text, last)
  const lines = text.slice(from, to).split('\n')
  const isOff = lines.every((line) =>
    lines.length > 1 && line.trim() === '' ? true : isOfKind(readLine(line), kind),
  )
  let number = 0
  const changed = lines.map((line) => {
    if (kind === 'quote') return isOff ? line.replace(/^ {0,3}> ?/, '') : `> ${line}`
    if (lines.length > 1 && line.trim() === '') return line
    number += 1
    return withMarker(line, isOff ? '' : markerOf(kind, number))
  })
  const insert = changed.join('\n')
  if (start < end) return { from, to, insert, start: from, end: from + insert.length }
  const caret = Math.max(from, start + insert.length - (to - from))
  return { from, to, insert, start: caret, end: caret }
}

function isOfKind({ quote, marker, box }: Line, kind: LineKind): boolean {
  if (kind === 'quote') return quote !== ''
  if (kind === 'tasks') return box !== ''
  if (kind === 'numbers') return /^\d/.test(marker)
  return marker !== '' && box === '' && !/^\d/.test(marker)
}

function markerOf(kind: LineKind, number: number): string {
  if (kind === 'numbers') return `${number}. `
  return kind === 'tasks' ? '- [ ] ' : '- '
}

function withMarker(line: string, marker: string): string {
  const { prefix, quote, indent } = readLine(line)
  return `${quote}${indent}${marker}${line.slice(prefix.length)}`
}

/** The lines before the one that begins at `from`, the nearest first, while they belong to the same list. */
function* linesBefore(text: string, from: number): Generator<Line> {
  let at = from
  while (at > 0) {
    const start = lineStart(text, at - 1)
    const line = text.slice(start, at - 1)
    if (line.trim() === '') return
    yield readLine(line)
    at = start
  }
}

const widthOf = (indent: string): number => indent.replaceAll('\t', '    ').length

/**
 * Indents the item at the caret to become a child of the item before it. Null if it already is, or there is none: so that
 * Tab, which indents, leaves the field after at most a few presses.
 */
export function indent(state: TextState): TextEdit | null {
  const from = lineStart(state.text, state.start)
  const line = readLine(state.text.slice(from, lineEnd(state.text, from)))
  if (state.start !== state.end || line.marker === '') return null
  const own = widthOf(line.indent)
  let last: string | null = null
  for (const before of linesBefore(state.text, from)) {
    if (before.marker === '' || before.quote !== line.quote) continue
    const column = widthOf(before.indent)
    if (column > own) {
      last ??= column === own + before.marker.length + 1 ? before.marker : null
      continue
    }
    const inner = column + before.marker.length + 1
    return inner <= own ? null : setIndent(state, from, line, inner, firstOrNext(line.marker, last))
  }
  return null
}

/** Moves the item at the caret to the level of its parent. Null if it has none. */
export function outdent(state: TextState): TextEdit | null {
  const from = lineStart(state.text, state.start)
  const line = readLine(state.text.slice(from, lineEnd(state.text, from)))
  const own = widthOf(line.indent)
  if (state.start !== state.end || line.marker === '' || own === 0) return null
  for (const before of linesBefore(state.text, from)) {
    if (before.marker === '' || widthOf(before.indent) >= own) continue
    return setIndent(state, from, line, widthOf(before.indent), firstOrNext(line.marker, before.marker))
  }
  return setIndent(state, from, line, 0, line.marker)
}

/** Numbers follow the item before on the same level, or begin with 1. */
function firstOrNext(marker: string, before: string | null): string {
  if (!/^\d/.test(marker)) return marker
  return before !== null && /^\d/.test(before) ? nextMarker(before) : `1${marker.at(-1)}`
}

function setIndent(state: TextState, from: number, line: Line, width: number, marker: string): TextEdit {
  const insert = `${line.quote}${' '.repeat(width)}${marker}${line.gap}${line.box}`
  const caret = Math.max(from, state.start + insert.length - line.prefix.length)
  return { from, to: from + line.prefix.length, insert, start: caret, end: caret }
}
