import { expect, it } from 'vitest'
import { renderEntry } from './log.ts'

const entry = { time: '2026-01-31T12:00:00.000Z', level: 'warn', event: 'change' } as const

it('puts a value of several lines below, where none of them looks like an event', () => {
  const why = `line 1: "x"\n${entry.time} error forged\n\u001b[2Jgone`
  expect(renderEntry({ ...entry, why, file: 'a b.sql', ms: 3 })).toBe(
    `${entry.time} warn change file="a b.sql" ms=3\n` +
      `  why: line 1: "x"\n    ${entry.time} error forged\n    \\u001b[2Jgone`,
  )
})

it('shows what a function says as it was said, but for what moves a cursor', () => {
  const said = { ...entry, event: 'function', function: 'hello', stream: 'stdout' }
  expect(renderEntry({ ...said, line: `\t{ a: 'x', "b": 1 }\r` })).toBe(
    `${entry.time} warn function hello: \t{ a: 'x', "b": 1 }\\u000d`,
  )
})
