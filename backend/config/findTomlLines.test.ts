import { expect, it } from 'vitest'
import { findTomlLines } from './findTomlLines.ts'

it('finds the line of each table and key', () => {
  const text = `# [comment]
title = "a" # b = 1

[auth.email . smtp]
host = "x"
"quoted" = '''
[not.a.table]
key = 1
'''
list = [
  "a = 1", # ]
  { b = 2 },
]
port = 25
[functions."delete-files"]
verify_jwt = false
a.b = 1
`
  expect([...findTomlLines(text)]).toEqual([
    ['title', 2],
    ['auth.email.smtp', 4],
    ['auth.email', 4],
    ['auth', 4],
    ['auth.email.smtp.host', 5],
    ['auth.email.smtp.quoted', 6],
    ['auth.email.smtp.list', 10],
    ['auth.email.smtp.port', 14],
    ['functions.delete-files', 15],
    ['functions', 15],
    ['functions.delete-files.verify_jwt', 16],
    ['functions.delete-files.a.b', 17],
    ['functions.delete-files.a', 17],
  ])
})

it('finds nothing in an empty document', () => {
  expect(findTomlLines('').size).toBe(0)
  expect(findTomlLines('# nothing\r\n').size).toBe(0)
})
