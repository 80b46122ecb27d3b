import { describe, expect, it } from 'vitest'
import { matches, toLogFilter } from './logFilter.ts'
import { toLogLine } from './logLine.ts'

const line = (fields: Record<string, unknown>) =>
  toLogLine(JSON.stringify({ time: '2026-01-01T00:00:00.000Z', level: 'info', ...fields }))

const lines = {
  rest: line({ event: 'gateway.request', method: 'GET', path: '/rest/v1/x', status: 200, ms: 1.5 }),
  page: line({ event: 'gateway.request', method: 'GET', path: '/', status: 200, ms: 1 }),
  own: line({ event: 'gateway.request', method: 'GET', path: '/_', status: 200, ms: 1 }),
  notFound: line({ event: 'gateway.request', method: 'GET', path: '/_', status: 404, ms: 1 }),
  mail: line({ event: 'auth.mail_failed', level: 'error', reason: 'no such host' }),
  realtime: line({ event: 'realtime.policy_timeout', level: 'warn', topic: 'a b' }),
  hello: line({ event: 'functions.output', function: 'hello', stream: 'stderr', line: '<b>at work</b>' }),
  job: line({ event: 'cron.run_failed', level: 'warn', job: 2 }),
  other: line({ event: 'server.starting', dataDir: '/data' }),
}

it('derives the part of the server that logged a line', () => {
  expect(Object.fromEntries(Object.entries(lines).map(([name, { part }]) => [name, part]))).toEqual({
    rest: 'rest',
    page: 'gateway',
    own: 'gateway',
    notFound: 'gateway',
    mail: 'auth',
    realtime: 'realtime',
    hello: 'functions',
    job: 'cron',
    other: 'server',
  })
  expect(lines.hello.text).toBe('hello: <b>at work</b>')
  expect(lines.realtime.text).toBe('realtime.policy_timeout topic=a b')
})

describe('shows', () => {
  const queries: [Record<string, string>, (keyof typeof lines)[]][] = [
    [{}, ['rest', 'page', 'notFound', 'mail', 'realtime', 'hello', 'job', 'other']],
    [{ level: 'warn' }, ['mail', 'realtime', 'job']],
    [{ level: 'error' }, ['mail']],
    [{ level: 'nonsense' }, ['rest', 'page', 'notFound', 'mail', 'realtime', 'hello', 'job', 'other']],
    [{ part: 'requests' }, ['rest', 'page', 'notFound']],
    [{ part: 'events' }, ['mail', 'realtime', 'hello', 'job', 'other']],
    [{ part: 'rest' }, ['rest']],
    [{ part: 'function:hello' }, ['hello']],
    [{ part: 'function:hell' }, []],
    [{ search: 'NO SUCH' }, ['mail']],
    [{ part: 'auth', level: 'error', search: 'host' }, ['mail']],
    [{ part: 'nobody' }, []],
  ]
  it.each(queries)('for %j %j', (query, names) => {
    const filter = toLogFilter((name) => query[name])
    const shown = Object.entries(lines).filter(([, line]) => matches(line, filter))
    expect(shown.map(([name]) => name)).toEqual(names)
  })
})
