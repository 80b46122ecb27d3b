import { expect, it } from 'vitest'
import { createLogger, teeLogger } from './log.ts'
import { createLogTail } from './logTail.ts'

const quiet = createLogger({ format: 'text', minLevel: 'error', write: () => {} })

it('keeps what a log hides from its terminal, oldest first, and tells it on until unsubscribed', () => {
  const tail = createLogTail()
  const log = teeLogger(quiet, tail.add)
  log.info('early')
  const heard: string[] = []
  const leave = tail.subscribe((line) => heard.push(line))
  log.warn('later', { part: 'x', nothing: undefined })
  leave()
  log.error('last')
  expect(tail.recent().map((line) => JSON.parse(line).event)).toEqual(['early', 'later', 'last'])
  expect(heard.map((line) => JSON.parse(line))).toEqual([
    { time: expect.any(String), level: 'warn', event: 'later', part: 'x' },
  ])
})

it('forgets the oldest lines beyond 2,000, and more of them where lines are long', () => {
  const tail = createLogTail()
  const log = teeLogger(quiet, tail.add)
  for (let n = 1; n <= 4_500; n++) log.info(`event ${n}`)
  const events = tail.recent().map((line) => JSON.parse(line).event)
  expect(events).toHaveLength(2_000)
  expect([events[0], events.at(-1)]).toEqual(['event 2501', 'event 4500'])
  for (let n = 0; n < 400; n++) log.info('long', { text: 'x'.repeat(15_000) })
  const kept = tail.recent()
  expect(kept.length).toBeLessThan(200)
  expect(kept.join('').length).toBeLessThan(2 * 1024 * 1024)
})

it('cuts a line of megabytes', () => {
  const tail = createLogTail()
  teeLogger(quiet, tail.add).info('function', { line: 'y'.repeat(3_000_000) })
  const [line] = tail.recent()
  expect(line!.length).toBeLessThan(16 * 1024)
  expect(JSON.parse(line!)).toMatchObject({ event: 'function', cut: expect.stringContaining('yyy') })
})
