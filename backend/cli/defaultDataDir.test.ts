import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultDataDir } from './defaultDataDir.ts'

let parent = ''
let root = ''

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'linnet-datadir-'))
  root = join(parent, 'linnet')
  mkdirSync(root)
  chmodSync(parent, 0o755)
})
afterEach(() => rmSync(parent, { recursive: true }))

it('the data directory is in the checkout unless root started Linnet in a directory that other users cannot enter', () => {
  expect(defaultDataDir(root, 0)).toBe(join(root, '.linnet'))
  chmodSync(parent, 0o700)
  expect(defaultDataDir(root, 1000)).toBe(join(root, '.linnet'))
})

it('the data directory is below /var/lib/linnet, the same at every start, if PostgreSQL cannot enter the checkout', () => {
  chmodSync(parent, 0o700)
  expect(defaultDataDir(root, 0)).toMatch(/^\/var\/lib\/linnet\/linnet-[0-9a-f]{8}$/)
  expect(defaultDataDir(root, 0)).toBe(defaultDataDir(root, 0))
})

it('stays in the checkout if it already contains data', () => {
  mkdirSync(join(root, '.linnet', 'postgres'), { recursive: true })
  chmodSync(parent, 0o700)
  expect(defaultDataDir(root, 0)).toBe(join(root, '.linnet'))
})
