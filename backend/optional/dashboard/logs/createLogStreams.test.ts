import { expect, it } from 'vitest'
import { createLogger, teeLogger } from '../../../logging/logger.ts'
import { createLogTail } from '../../../logging/logTail.ts'
import { createLogStreams } from './createLogStreams.ts'
import { toLogFilter } from './logFilter.ts'

const filterOf = (query: Record<string, string>) => toLogFilter((name) => query[name])
const silent = createLogger({ format: 'text', minLevel: 'error', write: () => {} })

interface Event {
  event: string
  data: unknown
}

/** Reads events up to the first with this name. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, name: string): Promise<Event[]> {
  const events: Event[] = []
  while (!events.some(({ event }) => event === name)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`The stream ended before "${name}".`)
    for (const [, event, data] of new TextDecoder().decode(value).matchAll(/event: (.*)\ndata: (.*)\n\n/g))
      events.push({ event: event!, data: JSON.parse(data!) })
  }
  return events
}

const textsOf = ({ data }: Event): string[] => (data as { text: string }[]).map(({ text }) => text)

it('sends recent lines, newest first, then new lines, both filtered', async () => {
  const tail = createLogTail()
  const log = teeLogger(silent, tail.add)
  log.info('gateway.request', { method: 'GET', path: '/rest/v1/x', status: 200, ms: 1 })
  log.warn('auth.mail_failed', { to: 'someone' })
  log.info('functions.output', { function: 'hello', stream: 'stdout', line: 'printed before' })
  const streams = createLogStreams(tail)
  const all = streams.open(filterOf({}))!.body!.getReader()
  const one = streams.open(filterOf({ part: 'function:hello', search: 'PRINTED' }))!.body!.getReader()
  const [started] = await readUntil(all, 'start')
  expect(textsOf(started!)).toEqual([
    'hello: printed before',
    'auth.mail_failed to=someone',
    'GET /rest/v1/x 200 in 1 ms',
  ])
  log.info('functions.output', { function: 'other', stream: 'stdout', line: 'printed elsewhere' })
  log.info('functions.output', { function: 'hello', stream: 'stdout', line: 'printed since' })
  const [lines] = await readUntil(all, 'lines')
  expect(textsOf(lines!)).toEqual(['other: printed elsewhere', 'hello: printed since'])
  const received = await readUntil(one, 'lines')
  expect(received.map(textsOf)).toEqual([['hello: printed before'], ['hello: printed since']])
  streams.close()
  expect((await all.read()).done).toBe(true)
  expect((await one.read()).done).toBe(true)
})

it('sends at most a hundred lines at once, and the number of those left out', async () => {
  const tail = createLogTail()
  const log = teeLogger(silent, tail.add)
  const streams = createLogStreams(tail)
  const reader = streams.open(filterOf({}))!.body!.getReader()
  await readUntil(reader, 'start')
  for (let n = 1; n <= 130; n++) log.info('server.numbered', { n })
  const [lines, lost] = await readUntil(reader, 'lost')
  expect(textsOf(lines!)).toHaveLength(100)
  expect(lost).toEqual({ event: 'lost', data: 30 })
  streams.close()
})

it('allows eight streams, and another one once one is cancelled', async () => {
  const streams = createLogStreams(createLogTail())
  const open = Array.from({ length: 8 }, () => streams.open(filterOf({})))
  expect(open).not.toContain(null)
  expect(streams.open(filterOf({}))).toBeNull()
  await open[3]!.body!.cancel()
  expect(streams.open(filterOf({}))).not.toBeNull()
  streams.close()
})
