import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSource, openSource, runProgram } from './openSource.ts'

let dir = ''

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-source-'))
  const manifest = JSON.stringify({ name: 'linnet', version: '1.2.3', bin: { linnet: 'bin/linnet.mjs' } })
  for (const folder of ['package', 'checkout', 'other', 'work']) mkdirSync(join(dir, folder))
  writeFileSync(join(dir, 'package/package.json'), manifest)
  writeFileSync(join(dir, 'checkout/package.json'), manifest)
  writeFileSync(join(dir, 'checkout/package-lock.json'), '{}')
  writeFileSync(join(dir, 'other/package.json'), '{"name":"other","version":"1.0.0"}')
  await runProgram('tar', ['-czf', 'linnet-1.2.3.tgz', 'package'], dir)
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('an argument names a version, a tarball, a package or a checkout', () => {
  expect(findSource('1.2.3', dir)).toEqual({ kind: 'registry', name: 'linnet@1.2.3' })
  expect(findSource('linnet@latest', dir)).toEqual({ kind: 'registry', name: 'linnet@latest' })
  expect(findSource(join(dir, 'linnet-1.2.3.tgz'), dir).kind).toBe('tarball')
  expect(findSource(join(dir, 'package'), dir).kind).toBe('directory')
  expect(findSource(join(dir, 'checkout'), dir).kind).toBe('checkout')
})

it('without an argument, a checkout is its own source, and a package its newest version', () => {
  expect(findSource(undefined, join(dir, 'checkout'))).toEqual({
    kind: 'checkout',
    path: join(dir, 'checkout'),
  })
  expect(findSource(undefined, join(dir, 'package'))).toEqual({ kind: 'registry', name: 'linnet@latest' })
})

it('other arguments are refused with a sentence', () => {
  expect(() => findSource(join(dir, 'other'), dir)).toThrow(/does not contain Linnet/)
  expect(() => findSource('./missing.tgz', dir)).toThrow(/There is no file or directory/)
})

it('a tarball is unpacked, and a damaged one is refused', async () => {
  const open = await openSource({ kind: 'tarball', path: join(dir, 'linnet-1.2.3.tgz') }, join(dir, 'work'))
  expect(open.manifest.version).toBe('1.2.3')
  rmSync(join(dir, 'work/unpacked'), { recursive: true })
  writeFileSync(join(dir, 'damaged.tgz'), 'damaged')
  await expect(
    openSource({ kind: 'tarball', path: join(dir, 'damaged.tgz') }, join(dir, 'work')),
  ).rejects.toThrow(/^tar -xzf failed/)
})
