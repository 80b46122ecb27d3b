import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ACTIONS } from './actionLabel.ts'

const schemas = join(import.meta.dirname, '../../../../supabase/schemas')

test('each action that the schema records has a label', () => {
  const sql = readdirSync(schemas, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(join(schemas, name), 'utf8'))
    .join('\n')
  const calls = sql.match(/perform app\.record_(?:account_)?action\([^;]+;/g) ?? []
  const recorded = calls.flatMap((call) => call.match(/(?<=')[a-z_]+\.[a-z_]+(?=')/g) ?? [])
  // The others are composed from these and a value.
  expect(recorded.length).toBeGreaterThan(30)
  expect(recorded.filter((action) => !ACTIONS.includes(action))).toEqual([])
  expect(ACTIONS).toEqual(expect.arrayContaining(['member.left', 'member.removed', 'bot.removed']))
})
