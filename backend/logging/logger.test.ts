import { expect, it } from 'vitest'
import { renderEntry } from './logger.ts'

const entry = { time: '2026-01-31T12:00:00.000Z', level: 'warn', event: 'server.change_failed' } as const

it('indents a value of several lines below the event, so that none of its lines looks like an event', () => {
  const why = `line 1: "x"\n${entry.time} error server.forged\n\u001b[2Jgone`
  expect(renderEntry({ ...entry, why, file: 'a b.sql', ms: 3 })).toBe(
    `${entry.time} warn server.change_failed file="a b.sql" ms=3\n` +
      `  why: line 1: "x"\n    ${entry.time} error server.forged\n    \\u001b[2Jgone`,
  )
})

it('writes the output of a function unchanged, except for control characters', () => {
  const entryOfFunction = {
    ...entry,
    event: 'functions.output' as const,
    function: 'hello',
    stream: 'stdout',
  }
  expect(renderEntry({ ...entryOfFunction, line: `\t{ a: 'x', "b": 1 }\r` })).toBe(
    `${entry.time} warn functions.output hello: \t{ a: 'x', "b": 1 }\\u000d`,
  )
})
