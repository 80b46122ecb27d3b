import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBinaries } from './binaries.ts'
import { createLibraryLinks } from './createLibraryLinks.ts'

test('the platform has its PostgreSQL', () => {
  expect(findBinaries()).toMatchObject({ major: 18, initdb: expect.stringMatching(/initdb$/) })
})

test.each([
  ['win32', 'x64', /Windows yet/],
  ['freebsd', 'x64', /no PostgreSQL package for freebsd-x64/],
  [process.platform === 'linux' ? 'darwin' : 'linux', 'x64', /-x64 is not installed/],
])('%s %s is answered with a sentence', (platform, arch, sentence) => {
  expect(() => findBinaries(platform, arch)).toThrow(sentence)
})

test('creates and repairs library links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  const native = join(folder, 'native')
  mkdirSync(join(native, 'lib'), { recursive: true })
  const links = ['libpq.so', 'libpq.so.5'].map((name) => ({
    source: 'native/lib/libpq.so.5.18',
    target: `native/lib/${name}`,
  }))
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  // An empty file is what an interrupted copy leaves.
  writeFileSync(join(native, 'lib', 'libpq.so'), '')
  createLibraryLinks(native)
  createLibraryLinks(native)
  for (const name of ['libpq.so', 'libpq.so.5']) {
    expect(readlinkSync(join(native, 'lib', name))).toBe('libpq.so.5.18')
  }
  rmSync(join(native, 'lib'), { recursive: true })
  expect(() => createLibraryLinks(native)).toThrow(/is missing and can't be created \(ENOENT\)/)
  rmSync(folder, { recursive: true })
})
