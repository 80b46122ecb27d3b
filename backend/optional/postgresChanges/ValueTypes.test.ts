import type pg from 'pg'
import { expect, test } from 'vitest'
import { ValueTypes } from './ValueTypes.ts'

test('a renamed type gets its new name, and built-in types are read once', async () => {
  const read: number[][] = []
  let name = 'mood'
  const client = {
    query: async ({ values: [ids] }: { values: [number[]] }) => {
      read.push(ids)
      const common = { kind: 'enum', element: 0, base: 0, has_json_cast: false }
      return { rows: ids.map((id) => ({ ...common, id, sql_name: `public.${name}`, label: name })) }
    },
  } as unknown as pg.ClientBase
  const types = new ValueTypes()
  await types.load(client, [25, 20_000])
  expect(types.get(20_000)?.sqlName).toBe('public.mood')
  name = 'feeling'
  await types.load(client, [25, 20_000])
  expect(types.get(20_000)).toMatchObject({ sqlName: 'public.feeling', label: 'feeling' })
  await types.load(client, [25])
  expect(read).toEqual([[25, 20_000], [20_000]])
})
