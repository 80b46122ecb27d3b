import { expect, it } from 'vitest'
import { findWords } from './words.mjs'

it.each([
  ['backend/a.ts', 'const toldMessages = 1', ['toldMessages identifier 1']],
  ['backend/a.ts', '\n// The house says so.', ['The house comment 2', 'says comment 2']],
  ['tests/a.test.ts', "it('a stranger waits', () => {})", ['stranger string 1']],
  [
    'supabase/schemas/a/a.sql',
    "create table wish_list (); -- told\ncomment on table x is 'heard';",
    ['wish_list identifier 1', 'told comment 1', 'heard string 2'],
  ],
  ['supabase/config.toml', 'name = "a # told" # It is told.', ['told comment 1', 'told string 1']],
  ['docs/a.md', 'It lets go.', ['lets go comment 1']],
  ['docs/a.md', 'The home is root; Home and End move it.', ['The home comment 1']],
  ['backend/a.ts', 'const resendInFlight = threshold', []],
  ['backend/a.ts', 'const answer = lookUp(name)', ['answer identifier 1']],
  ['backend/a.test.ts', 'const answer = 1', []],
  [
    'backend/a.ts',
    "log.warn('auth.mail_failed')\nlog.info(\n'request failed', {})",
    ['request failed log event 2'],
  ],
  ['supabase/seed.sql', "select 'She said hello'", []],
])('%s: %j', (name, text, expected) => {
  const found = findWords(name, text).map(({ word, kind, line }) => `${word} ${kind} ${line}`)
  expect(found.toSorted()).toEqual(expected.toSorted())
})
