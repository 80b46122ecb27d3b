import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findProject } from './findProject.ts'

let dir = ''
let root = ''
let todo = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-project-'))
  root = join(dir, 'linnet')
  todo = join(dir, 'todo')
  for (const project of [root, todo]) {
    mkdirSync(join(project, 'supabase'), { recursive: true })
    writeFileSync(join(project, 'supabase', 'config.toml'), '')
  }
  mkdirSync(join(todo, 'src', 'pages'), { recursive: true })
})
afterEach(() => rmSync(dir, { recursive: true }))

it("returns Linnet's own folder outside of any other project", () => {
  const { supabaseDir, isOwnSchema, isInProject } = findProject(root, {}, dir)
  expect([supabaseDir, isOwnSchema, isInProject]).toEqual([join(root, 'supabase'), true, false])
  expect(findProject(root, {}, join(root, 'supabase'))).toMatchObject({
    isOwnSchema: true,
    isInProject: true,
  })
})

it('returns the project that contains the working directory, with its own data directory', () => {
  const found = findProject(root, {}, join(todo, 'src', 'pages'))
  expect(found.supabaseDir).toBe(join(todo, 'supabase'))
  expect(found.isOwnSchema).toBe(false)
  expect(found.dataDir).not.toBe(findProject(root, {}, dir).dataDir)
})

it('accepts a folder without config.toml if no parent contains one with it', () => {
  const bare = join(dir, 'bare')
  for (const project of [bare, join(todo, 'src')]) {
    mkdirSync(join(project, 'supabase', 'migrations'), { recursive: true })
  }
  expect(findProject(root, {}, bare).supabaseDir).toBe(join(bare, 'supabase'))
  expect(findProject(root, {}, join(bare, 'supabase')).supabaseDir).toBe(join(bare, 'supabase'))
  expect(findProject(root, {}, join(todo, 'src')).supabaseDir).toBe(join(todo, 'supabase'))
})

it('accepts the path of the project or of its supabase folder', () => {
  for (const supabase of [todo, join(todo, 'supabase')]) {
    expect(findProject(root, { supabase, data: join(dir, 'data') }, root)).toEqual({
      supabaseDir: join(todo, 'supabase'),
      dataDir: join(dir, 'data'),
      isOwnSchema: false,
      isInProject: true,
    })
  }
  expect(() => findProject(root, { supabase: join(dir, 'nowhere') })).toThrow('There is no directory')
})
