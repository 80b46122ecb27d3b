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

it('is our own where nothing is said and one is in no other project', () => {
  const { supabaseDir, ownSchema, inProject } = findProject(root, {}, dir)
  expect([supabaseDir, ownSchema, inProject]).toEqual([join(root, 'supabase'), true, false])
  expect(findProject(root, {}, join(root, 'supabase'))).toMatchObject({ ownSchema: true, inProject: true })
})

it('is the project that one is in, with data of its own', () => {
  const found = findProject(root, {}, join(todo, 'src', 'pages'))
  expect(found.supabaseDir).toBe(join(todo, 'supabase'))
  expect(found.ownSchema).toBe(false)
  expect(found.dataDir).not.toBe(findProject(root, {}, dir).dataDir)
})

it('is a folder without config.toml too, where there is none with one', () => {
  const bare = join(dir, 'bare')
  for (const project of [bare, join(todo, 'src')]) {
    mkdirSync(join(project, 'supabase', 'migrations'), { recursive: true })
  }
  expect(findProject(root, {}, bare).supabaseDir).toBe(join(bare, 'supabase'))
  expect(findProject(root, {}, join(bare, 'supabase')).supabaseDir).toBe(join(bare, 'supabase'))
  expect(findProject(root, {}, join(todo, 'src')).supabaseDir).toBe(join(todo, 'supabase'))
})

it('is the one that is named, by its supabase folder or by its own', () => {
  for (const supabase of [todo, join(todo, 'supabase')]) {
    expect(findProject(root, { supabase, data: join(dir, 'data') }, root)).toEqual({
      supabaseDir: join(todo, 'supabase'),
      dataDir: join(dir, 'data'),
      ownSchema: false,
      inProject: true,
    })
  }
  expect(() => findProject(root, { supabase: join(dir, 'nowhere') })).toThrow('There is no folder')
})
