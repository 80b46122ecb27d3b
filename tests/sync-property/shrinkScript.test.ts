import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from './database/testDatabase.ts'
import { findDivergence } from './findDivergence.ts'
import { MUTANTS } from './mutants.ts'
import { runScript } from './script.ts'
import { shrinkScript } from './shrinkScript.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase(join(import.meta.dirname, '../..'))
})
afterAll(() => database?.stop())

it('shrinks the script of a mutant that keeps a channel after removal to less than ten steps', async () => {
  const mutant = MUTANTS['keepsRemovedChannels']!
  const { script, found } = (await findDivergence(database, mutant, 150))!
  const short = await shrinkScript(database, script, found, { mutant, seconds: Infinity })
  expect(short.steps.length).toBeLessThan(10)
  expect(await runScript(database, short, { mutant })).not.toBeNull()
  expect(await runScript(database, short)).toBeNull()
})
