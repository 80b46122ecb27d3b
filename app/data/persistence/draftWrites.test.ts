// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  cancelWrite,
  copyDrafts,
  flushDrafts,
  keepCopy,
  readCopies,
  writeNow,
  writeSoon,
} from './draftWrites.ts'

const copyOf = (text: string) => () => ({ text, from: null })
const texts = (user = 'bea') => readCopies(user).map(({ copy }) => copy.text)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(async () => {
  await flushDrafts()
  localStorage.clear()
  vi.useRealTimers()
})

it('a text that is typed without a pause is written every second', async () => {
  const written: string[] = []
  for (let ms = 0; ms < 5_000; ms += 100) {
    const text = `typed for ${ms} ms`
    writeSoon('lobby', async () => void written.push(text), copyOf(text))
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(written.length).toBeGreaterThanOrEqual(4)
  expect(written.length).toBeLessThan(10)
  await vi.runAllTimersAsync()
  expect(written.at(-1)).toBe('typed for 4900 ms')
})

it('a clock that is set back does not delay the write', async () => {
  const write = vi.fn(async () => {})
  writeSoon('lobby', write, copyOf('a'))
  vi.setSystemTime(Date.now() - 3_600_000)
  writeSoon('lobby', write, copyOf('ab'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(write).toHaveBeenCalledOnce()
})

it('a closing page copies what is due, and what is being written, until it is written', async () => {
  let finish = () => {}
  const slow = () => new Promise<void>((resolve) => (finish = resolve))
  writeSoon('lobby', slow, copyOf('half'))
  copyDrafts('bea')
  expect(texts()).toEqual(['half'])
  expect(texts('ann')).toEqual([])
  const first = writeNow('lobby')
  await Promise.resolve()
  writeSoon('lobby', slow, copyOf('half a sentence'))
  copyDrafts('bea')
  finish()
  await first
  expect(texts()).toEqual(['half a sentence'])
  const second = writeNow('lobby')
  await Promise.resolve()
  copyDrafts('bea')
  finish()
  await second
  expect(texts()).toEqual([])
  copyDrafts('bea')
  expect(texts()).toEqual([])
})

it('an emptied field, and a message that is being stored, are copied', async () => {
  writeSoon('lobby', async () => {}, copyOf(''))
  let finish = () => {}
  const stored = keepCopy(
    'lobby#message',
    copyOf('sent'),
    () => new Promise<void>((resolve) => (finish = resolve)),
  )
  copyDrafts('bea')
  expect(texts().sort()).toEqual(['', 'sent'])
  finish()
  await stored
  expect(texts()).toEqual([''])
})

it('a text that could not be written is copied, and one that was discarded is not', async () => {
  writeSoon('full', () => Promise.reject(new DOMException('full', 'QuotaExceededError')), copyOf('kept'))
  writeSoon('discarded', async () => {}, copyOf('discarded'))
  cancelWrite('discarded')
  await flushDrafts()
  copyDrafts('bea')
  expect(texts()).toEqual(['kept'])
})
