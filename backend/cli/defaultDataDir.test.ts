import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultDataDir } from './defaultDataDir.ts'

let parent = ''
let root = ''

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'linnet-place-'))
  root = join(parent, 'linnet')
  mkdirSync(root)
  chmodSync(parent, 0o755)
})
afterEach(() => rmSync(parent, { recursive: true }))

it('is in the checkout for everybody but root, and for root where others may pass', () => {
  expect(defaultDataDir(root, 0)).toBe(join(root, '.linnet'))
  chmodSync(parent, 0o700)
  expect(defaultDataDir(root, 1000)).toBe(join(root, '.linnet'))
})

it('is with the system, always in the same place, where PostgreSQL could not enter', () => {
  chmodSync(parent, 0o700)
  expect(defaultDataDir(root, 0)).toMatch(/^\/var\/lib\/linnet\/linnet-[0-9a-f]{8}$/)
  expect(defaultDataDir(root, 0)).toBe(defaultDataDir(root, 0))
})

it('stays in the checkout where data are already', () => {
  mkdirSync(join(root, '.linnet', 'postgres'), { recursive: true })
  chmodSync(parent, 0o700)
  expect(defaultDataDir(root, 0)).toBe(join(root, '.linnet'))
})
