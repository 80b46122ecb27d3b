// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchPage } from './watchPage.ts'

const emitted: string[] = []
const watch = Object.fromEntries(
  (['hidden', 'woke', 'focused', 'leaving', 'restored', 'online', 'offline'] as const).map((name) => [
    name,
    () => void emitted.push(name),
  ]),
) as unknown as Parameters<typeof watchPage>[0]
let now = 0
let stop = () => {}
const see = (state: DocumentVisibilityState) =>
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)

beforeEach(() => {
  vi.useFakeTimers()
  emitted.length = 0
  now = 0
  see('visible')
  stop = watchPage(watch, () => now)
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const tick = (ms: number) => {
  now += ms
  vi.advanceTimersByTime(2_500)
}

it('detects that the machine slept while the page was visible', () => {
  tick(2_500)
  tick(3_000)
  expect(emitted).toEqual([])
  tick(3_600_000)
  expect(emitted).toEqual(['woke'])
  tick(2_500)
  expect(emitted).toEqual(['woke'])
})

it('reports a wake-up when the page becomes visible, and not for the slow timers of a hidden page', () => {
  see('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  tick(60_000)
  see('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(emitted).toEqual(['hidden', 'woke'])
})

it('emits nothing once it is stopped', () => {
  stop()
  window.dispatchEvent(new Event('online'))
  tick(3_600_000)
  expect(emitted).toEqual([])
})
