import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { beginSchemaChange, finishSchemaChange, willChangeSchema } from './schemaDigest.ts'

let dataDir: string
let supabase: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  supabase = join(dataDir, 'supabase')
  mkdirSync(join(supabase, 'migrations'), { recursive: true })
  writeFileSync(join(supabase, 'migrations', '1_a.sql'), 'select 1;')
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('data of which nothing is known are taken for old', () => {
  expect(willChangeSchema(dataDir, supabase)).toBe(true)
})

test('a new or another migration changes the schema, the same ones do not', () => {
  finishSchemaChange(dataDir, supabase)
  expect(willChangeSchema(dataDir, supabase)).toBe(false)
  writeFileSync(join(supabase, 'migrations', '2_b.sql'), 'select 2;')
  expect(willChangeSchema(dataDir, supabase)).toBe(true)
})

test('after a change that failed the data are half-way: the copy from before it is the good one', () => {
  finishSchemaChange(dataDir, supabase)
  writeFileSync(join(supabase, 'migrations', '2_b.sql'), 'select nothing;')
  beginSchemaChange(dataDir)
  expect(willChangeSchema(dataDir, supabase)).toBe(false)
  writeFileSync(join(supabase, 'migrations', '2_b.sql'), 'select 2;')
  expect(willChangeSchema(dataDir, supabase)).toBe(false)
  finishSchemaChange(dataDir, supabase)
  writeFileSync(join(supabase, 'migrations', '3_c.sql'), 'select 3;')
  expect(willChangeSchema(dataDir, supabase)).toBe(true)
})
