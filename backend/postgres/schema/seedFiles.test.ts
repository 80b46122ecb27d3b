import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRolesFile, listSeeds } from './seedFiles.ts'

let dir = ''

beforeAll(() => {
  const project = mkdtempSync(join(tmpdir(), 'linnet-seeds-'))
  dir = join(project, 'supabase')
  mkdirSync(join(dir, 'seeds', 'more.sql'), { recursive: true })
  for (const name of ['seed.sql', 'seeds/02_b.sql', 'seeds/01_a.sql', 'seeds/notes.txt', '../shared.sql']) {
    writeFileSync(join(dir, name), '')
  }
})
afterAll(() => rmSync(join(dir, '..'), { recursive: true }))

it('takes patterns in their order, files of one by name, each once, and no folders', () => {
  const { files, unmatched } = listSeeds(dir, [
    './seeds/*.sql',
    'seed.sql',
    './seeds/0?_[ab].sql',
    'no/*.sql',
  ])
  expect(files.map((file) => file.name)).toEqual([
    'supabase/seeds/01_a.sql',
    'supabase/seeds/02_b.sql',
    'supabase/seed.sql',
  ])
  expect(unmatched).toEqual(['no/*.sql'])
})

it('reaches out of the folder, and takes whole paths', () => {
  const { files } = listSeeds(dir, ['../shared.sql', join(dir, 'seed.sql')])
  expect(files.map((file) => file.name)).toEqual(['shared.sql', 'supabase/seed.sql'])
})

it('finds roles where there are any', () => {
  expect(findRolesFile(dir)).toBeNull()
  writeFileSync(join(dir, 'roles.sql'), '')
  expect(findRolesFile(dir)).toEqual({ name: 'supabase/roles.sql', path: join(dir, 'roles.sql') })
})
