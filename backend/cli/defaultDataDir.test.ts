import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defaultDataDir } from './defaultDataDir.ts'

let parent = ''
let root = ''

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'linnet-datadir-'))
  root = join(parent, 'linnet')
  mkdirSync(root)
  chmodSync(parent, 0o755)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(parent, { recursive: true })
})

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

it('the data of an installed package are outside of node_modules, the same for every working directory', () => {
  const installed = join(parent, 'node_modules', 'linnet')
  vi.stubEnv('HOME', '/home/ann')
  vi.stubEnv('XDG_DATA_HOME', '')
  expect(defaultDataDir(installed, 1000)).toBe('/home/ann/.local/share/linnet/data')
  vi.stubEnv('XDG_DATA_HOME', '/home/ann/data')
  expect(defaultDataDir(installed, 1000)).toBe('/home/ann/data/linnet/data')
  expect(defaultDataDir(installed, 0)).toBe('/var/lib/linnet/data')
})
