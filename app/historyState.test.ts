// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  changeEntryState,
  closeOnBack,
  goBack,
  navigate,
  readEntryState,
  recordNavigation,
  type EntryState,
} from './historyState.ts'

// The environment has no entries to go back to: `arrive` does what the browser does a few milliseconds after `back`.
const back = vi.spyOn(history, 'back').mockImplementation(() => {})

function arrive(path: string, state: EntryState | null): void {
  History.prototype.replaceState.call(history, state, '', path)
  dispatchEvent(new Event('popstate'))
}

beforeEach(() => {
  vi.useFakeTimers()
  back.mockClear()
  navigate('/threads', { replace: true })
})
afterEach(() => {
  vi.useRealTimers()
})

it('a change of the state keeps the other values, and a navigation starts with its own', () => {
  changeEntryState({ scrollTop: 7 })
  changeEntryState({ result: 'm' })
  expect(readEntryState()).toEqual({ scrollTop: 7, result: 'm' })
  navigate('/people')
  expect([location.pathname, readEntryState()]).toEqual(['/people', {}])
  navigate('/activity', { replace: true, state: { seenAt: '2026-11-30' } })
  expect([location.pathname, readEntryState()]).toEqual(['/activity', { seenAt: '2026-11-30' }])
})

it('writes wait until the browser has gone back, and apply to the entry that it has reached', () => {
  navigate('/c/a', { state: { overlay: true } })
  goBack()
  changeEntryState({ scrollTop: 9 })
  navigate('/people')
  // As code that does not use this module.
  history.pushState({ result: 'm' }, '', '/files')
  expect(location.pathname).toBe('/c/a')
  const entries: unknown[] = []
  const record = () => entries.push([location.pathname, history.state])
  addEventListener('pushState', record)
  addEventListener('replaceState', record)
  arrive('/threads', { from: '/' })
  removeEventListener('pushState', record)
  removeEventListener('replaceState', record)
  expect(entries).toEqual([
    ['/threads', { from: '/', scrollTop: 9 }],
    ['/people', null],
    ['/files', { result: 'm' }],
  ])
  navigate('/saved')
  expect(location.pathname).toBe('/saved')
})

it('the writes after a second way back wait for it', () => {
  goBack()
  goBack()
  navigate('/people')
  expect(back).toHaveBeenCalledTimes(1)
  arrive('/activity', null)
  expect(back).toHaveBeenCalledTimes(2)
  expect(location.pathname).toBe('/activity')
  arrive('/', null)
  expect(location.pathname).toBe('/people')
})

it('a page that is shown again after the way back led to another page writes at once', () => {
  goBack()
  navigate('/people')
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  expect(location.pathname).toBe('/threads')
  history.pushState(null, '', '/files')
  expect(location.pathname).toBe('/files')
})

it('overlays share one entry, which "back" leaves and which is left once all are closed', () => {
  const close = vi.fn<() => void>()
  const end = closeOnBack(close)
  expect(readEntryState().overlay).toBe(true)
  const endInner = closeOnBack(() => {})
  endInner()
  vi.runAllTimers()
  expect(back).not.toHaveBeenCalled()
  arrive('/threads', null)
  expect(close).toHaveBeenCalledTimes(1)
  end()
  vi.runAllTimers()
  expect(back).not.toHaveBeenCalled()

  closeOnBack(() => {})()
  vi.runAllTimers()
  expect(back).toHaveBeenCalledTimes(1)
  arrive('/threads', null)
  expect(close).toHaveBeenCalledTimes(1)
})

it('an overlay that opens while the entry of another one is left gets its own entry', () => {
  closeOnBack(() => {})()
  vi.runAllTimers()
  const end = closeOnBack(() => {})
  arrive('/threads', null)
  expect(readEntryState().overlay).toBe(true)
  end()
  vi.runAllTimers()
  expect(back).toHaveBeenCalledTimes(2)
  arrive('/threads', null)
})

it('an entry of a closed overlay that "forward" leads to is left', () => {
  arrive('/threads', { overlay: true })
  expect(back).toHaveBeenCalledTimes(1)
  arrive('/threads', null)
})

it('each entry stores the path from which it was reached', () => {
  const stop = recordNavigation()
  navigate('/c/a')
  expect(readEntryState().from).toBe('/threads')
  navigate('/c/b', { replace: true })
  expect(readEntryState().from).toBe('/threads')
  arrive('/threads', { from: '/' })
  navigate('/people')
  expect(readEntryState().from).toBe('/threads')
  stop()
  navigate('/files')
  expect(readEntryState().from).toBeUndefined()
})
