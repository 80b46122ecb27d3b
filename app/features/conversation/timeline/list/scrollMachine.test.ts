import { expect, test } from 'vitest'
import { INITIAL_SCROLL, reduceScroll } from './scrollMachine.ts'
import type { ListFacts, ScrollEffect, ScrollEvent, ScrollState, ScrollTarget } from './scrollMachine.ts'

const OPEN: ScrollTarget = { to: 'open' }
const FACTS: ListFacts = {
  target: OPEN,
  rowCount: 50,
  lastRow: 'last',
  hasBefore: true,
  hasAfter: false,
  newLine: -1,
  firstUnread: -1,
  targetRow: -1,
  saved: null,
  isPageVisible: true,
}
const rows = (change: Partial<ListFacts> = {}): ScrollEvent => ({
  type: 'rowsChanged',
  facts: { ...FACTS, ...change },
})
const view = (
  top: number,
  toEnd: number,
  change: { hasAfter?: boolean; isOverscroll?: boolean; height?: number } = {},
) =>
  ({ type: 'viewChanged', top, height: 700, toEnd, hasAfter: false, isOverscroll: false, ...change }) as const

/** The state after these events, and the effects of the last one. */
function run(...events: ScrollEvent[]): { state: ScrollState; effects: ScrollEffect[] } {
  return events.reduce((step, event) => reduceScroll(step.state, event), {
    state: INITIAL_SCROLL,
    effects: [] as ScrollEffect[],
  })
}
const END: ScrollEffect = { type: 'scrollToEnd' }
const toRow = (index: number, offset: number): ScrollEffect => ({
  type: 'scrollToRow',
  index,
  align: 'start',
  offset,
})

test('a list without rows waits for them', () => {
  expect(run(rows({ rowCount: 0, lastRow: null }))).toEqual({ state: INITIAL_SCROLL, effects: [] })
})

test('a list opens at the end, at the position where it was left, or at the first unread message', () => {
  expect(run(rows()).effects).toEqual([END, END])
  const saved = { row: 7, top: 30 }
  const left = run(rows(), rows({ saved }))
  expect(left.effects).toEqual([toRow(7, -30)])
  expect(left.state.followsEnd).toBe(false)
  expect(run(rows({ saved }), rows({ saved, newLine: 20 })).effects).toEqual([toRow(20, -8)])
})

test('an opening list is positioned again when its rows change, until the reader moves', () => {
  const opening = run(rows(), rows({ newLine: 3 }))
  expect(opening.effects).toEqual([toRow(3, -8)])
  const opened = reduceScroll(opening.state, { type: 'openingEnded' })
  expect(opened.effects).toEqual([{ type: 'opened' }])
  expect(reduceScroll(opened.state, { type: 'openingEnded' }).effects).toEqual([])
  expect(reduceScroll(opened.state, rows({ newLine: 5 })).effects).toEqual([])
})

test('the end as a target ends the opening, and messages that are added later are followed', () => {
  const target: ScrollTarget = { to: 'end' }
  const sent = run(rows({ newLine: 3 }), rows({ newLine: 3, target }))
  expect(sent.effects).toEqual([END, { type: 'opened' }])
  const added = { newLine: 3, target, lastRow: 'own', rowCount: 51 }
  expect(reduceScroll(sent.state, rows(added)).effects).toEqual([END])
})

test('new messages at the end are followed while the reader is there and the page is visible', () => {
  const atEnd = run(rows(), { type: 'openingEnded' })
  const added = { lastRow: 'next' }
  expect(reduceScroll(atEnd.state, rows(added)).effects).toEqual([END])
  expect(reduceScroll(atEnd.state, rows({ ...added, isPageVisible: false })).effects).toEqual([])
  const scrolledUp = reduceScroll(reduceScroll(atEnd.state, view(1_000, 0)).state, view(700, 300))
  expect(scrolledUp.state.followsEnd).toBe(false)
  expect(reduceScroll(scrolledUp.state, rows(added)).effects).toEqual([])
})

test('rows that grow below are followed, and only scrolling up or newer messages leave the end', () => {
  const atEnd = run(rows(), { type: 'openingEnded' }, view(1_000, 0)).state
  expect(reduceScroll(atEnd, { type: 'resized' }).effects).toEqual([END])
  expect(reduceScroll(atEnd, view(1_000, 400)).effects).toEqual([END])
  const left = reduceScroll(atEnd, view(1_000, 0, { hasAfter: true }))
  expect(left.state.followsEnd).toBe(false)
  expect(reduceScroll(left.state, { type: 'resized' }).effects).toEqual([])
  expect(reduceScroll(left.state, view(1_200, 20)).state.followsEnd).toBe(true)
})

test('a view that becomes lower while the last row is deleted stays at the end', () => {
  const atEnd = run(rows(), { type: 'openingEnded' }, view(1_000, 0)).state
  const lower = reduceScroll(atEnd, view(960, 76, { height: 630 }))
  expect(lower.effects).toEqual([END])
  expect(reduceScroll(lower.state, view(900, 60, { height: 630 })).state.followsEnd).toBe(false)
})

test('a view past the end returns, unless the browser shows its own overscroll', () => {
  const atEnd = run(rows(), { type: 'openingEnded' }).state
  expect(reduceScroll(atEnd, view(1_000, -200)).effects).toEqual([END])
  expect(reduceScroll(atEnd, view(1_000, -200, { isOverscroll: true })).effects).toEqual([])
})

test.each<[string, ScrollTarget, Partial<ListFacts>, Partial<ListFacts>, ScrollEffect[]]>([
  ['end', { to: 'end', focus: true }, { hasAfter: true }, {}, [END, { type: 'focus', index: 49 }]],
  ['start', { to: 'start' }, {}, { hasBefore: false }, [toRow(-1, 0)]],
  ['first unread message', { to: 'unread' }, {}, { firstUnread: 4 }, [toRow(4, -8)]],
  ['row', { to: 'row', number: 9, top: 12, mark: false }, {}, { targetRow: 9 }, [toRow(9, -12)]],
  [
    'highlighted row',
    { to: 'row', number: 9, top: null, mark: true },
    {},
    { targetRow: 9 },
    [
      { type: 'scrollToRow', index: 9, align: 'center', offset: 0 },
      { type: 'highlight', index: 9 },
      { type: 'focus', index: 9 },
    ],
  ],
])('the %s is scrolled to once it is loaded, and only once', (_name, target, before, loaded, effects) => {
  const opened = run(rows(), { type: 'openingEnded' }).state
  const waiting = reduceScroll(opened, rows({ target, ...before }))
  expect(waiting.effects).toEqual([])
  const reached = reduceScroll(waiting.state, rows({ target, ...loaded }))
  expect(reached.effects).toEqual(effects)
  expect(reached.state).toMatchObject({ phase: 'open', reached: target, followsEnd: target.to === 'end' })
  expect(reduceScroll(reached.state, rows({ target, ...loaded })).effects).toEqual([])
})

test('a target that is reached ends the opening', () => {
  const target: ScrollTarget = { to: 'row', number: 9, top: 0, mark: false }
  expect(run(rows({ target })).effects).toEqual([END, END])
  const reached = run(rows({ target }), rows({ target, targetRow: 9 }))
  expect(reached.effects).toEqual([toRow(9, -0), { type: 'opened' }])
})

test('another window of the conversation opens anew, and does not repeat a target that was reached', () => {
  const target: ScrollTarget = { to: 'row', number: 9, top: 0, mark: false }
  const replaced = run(
    rows({ target, targetRow: 9 }),
    { type: 'mounted' },
    rows({ target, targetRow: 9, newLine: 2 }),
  )
  expect(replaced.effects).toEqual([END, toRow(2, -8)])
  expect(replaced.state).toMatchObject({ phase: 'opening', reached: target })
})
