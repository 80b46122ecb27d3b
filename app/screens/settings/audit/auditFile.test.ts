import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../../wire/audit.ts'
import { CSV_HEAD, toCsv, toJsonLines } from './auditFile.ts'

const entry = (change: Partial<AuditEntry>): AuditEntry => ({
  id: 'id',
  recorded_at: '2026-11-24T08:00:00Z',
  actor_id: 'ann',
  action: 'message.removed',
  reason: null,
  target: {},
  ...change,
})
const names = new Map([['ann', 'Ann "A" Okafor']])

test('a CSV file has a line for each entry, with quotes doubled and line breaks kept inside a field', () => {
  const text = CSV_HEAD + toCsv([entry({ reason: 'Spam,\n"again"', target: { report_id: 'r' } })], names)
  expect(text).toBe(
    '"time","actor_id","actor","action","target","reason"\r\n' +
      '"2026-11-24T08:00:00Z","ann","Ann ""A"" Okafor","message.removed","{""report_id"":""r""}","Spam,\n""again"""\r\n',
  )
})

test('a field that a spreadsheet would evaluate begins with an apostrophe', () => {
  for (const reason of ['=1+1', '+1', '-1', '@x', '\t=1', '＝1'])
    expect(toCsv([entry({ reason })], names)).toContain(`"'${reason}"`)
})

test('JSON lines have one object in each line', () => {
  const lines = toJsonLines([entry({}), entry({ actor_id: null })], names)
    .trimEnd()
    .split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { actor: string | null }).actor)).toEqual([
    'Ann "A" Okafor',
    null,
  ])
})
