import { expect, it } from 'vitest'
import { createLogger, teeLogger } from './logger.ts'
import { createLogTail } from './logTail.ts'

const quiet = createLogger({ format: 'text', minLevel: 'error', write: () => {} })

it('stores entries below the minimum level too, oldest first, and passes them to subscribers until they unsubscribe', () => {
  const tail = createLogTail()
  const log = teeLogger(quiet, tail.add)
  log.info('server.first')
  const received: string[] = []
  const unsubscribe = tail.subscribe((line) => received.push(line))
  log.warn('server.second', { part: 'x', nothing: undefined })
  unsubscribe()
  log.error('server.third')
  expect(tail.recent().map((line) => JSON.parse(line).event)).toEqual([
    'server.first',
    'server.second',
    'server.third',
  ])
  expect(received.map((line) => JSON.parse(line))).toEqual([
    { time: expect.any(String), level: 'warn', event: 'server.second', part: 'x' },
  ])
})

it('drops the oldest lines beyond 2,000, and more if lines are long', () => {
  const tail = createLogTail()
  const log = teeLogger(quiet, tail.add)
  for (let n = 1; n <= 4_500; n++) log.info('server.numbered', { n })
  const numbers = tail.recent().map((line) => JSON.parse(line).n)
  expect(numbers).toHaveLength(2_000)
  expect([numbers[0], numbers.at(-1)]).toEqual([2501, 4500])
  for (let n = 0; n < 400; n++) log.info('server.long', { text: 'x'.repeat(15_000) })
  const kept = tail.recent()
  expect(kept.length).toBeLessThan(200)
  expect(kept.join('').length).toBeLessThan(2 * 1024 * 1024)
})

it('truncates a line of several megabytes', () => {
  const tail = createLogTail()
  teeLogger(quiet, tail.add).info('functions.output', { line: 'y'.repeat(3_000_000) })
  const [line] = tail.recent()
  expect(line!.length).toBeLessThan(16 * 1024)
  expect(JSON.parse(line!)).toMatchObject({ event: 'functions.output', cut: expect.stringContaining('yyy') })
})
