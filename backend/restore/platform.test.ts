import { expect, it } from 'vitest'
import { requirePlatform } from './platform.ts'

const here = { platform: 'linux-x64', postgresMajor: 18, linnet: '1.4.0' }
const backup = { id: '2026-11-30T02-00-00Z', platform: 'linux-x64', postgres: '18.1', linnet: '1.4.0' }

it('accepts backups of this and of older versions', () => {
  for (const linnet of ['1.4.0', '1.3.9', '0.9.12', '1.3.0-beta.1'])
    expect(() => requirePlatform({ ...backup, linnet }, here)).not.toThrow()
})

it.each([
  [{ platform: 'darwin-arm64' }, /was made on darwin-arm64.*This machine is linux-x64/],
  [{ postgres: '17.6' }, /data of PostgreSQL 17, and this Linnet includes PostgreSQL 18/],
  [{ linnet: '1.5.0' }, /newer than this Linnet \(1\.4\.0\)/],
  [{ linnet: '1.4.1' }, /Install Linnet 1\.4\.1 first/],
])('refuses %j with a sentence', (change, message) => {
  expect(() => requirePlatform({ ...backup, ...change }, here)).toThrow(message)
})
