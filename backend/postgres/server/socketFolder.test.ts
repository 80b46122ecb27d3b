import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSocketFolder } from './socketFolder.ts'

const me = { name: 'me', uid: process.getuid!(), gid: process.getgid!(), isSwitched: false }
const { TMPDIR } = process.env
let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  process.env.TMPDIR = base
})
afterEach(() => {
  rmSync(base, { recursive: true })
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
})

test('the folder is accessible only to its user, and the same for the same data', () => {
  const folder = createSocketFolder('/data', 5432, me)
  expect(dirname(folder)).toBe(base)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(createSocketFolder('/data', 5432, me)).toBe(folder)
  expect(createSocketFolder('/other', 5432, me)).not.toBe(folder)
})

test('a folder that belongs to somebody else, or that others can enter, is not used', () => {
  const folder = createSocketFolder('/data', 5432, me)
  chmodSync(folder, 0o777)
  const own = createSocketFolder('/data', 5432, me)
  expect(own).not.toBe(folder)
  expect(statSync(own).mode & 0o777).toBe(0o700)
  expect(createSocketFolder('/data', 5432, me)).toBe(own)
  rmSync(folder, { recursive: true })
  symlinkSync(own, folder)
  expect(createSocketFolder('/data', 5432, me)).not.toBe(folder)
})

test('/tmp is used where the temporary folder has a long path or is not accessible to PostgreSQL', () => {
  const long = join(base, 'x'.repeat(80))
  mkdirSync(long)
  process.env.TMPDIR = long
  const folder = createSocketFolder('/data', 5432, me)
  expect(dirname(folder)).toBe('/tmp')
  rmSync(folder, { recursive: true })
  process.env.TMPDIR = base
  chmodSync(base, 0o700)
  const other = createSocketFolder('/data', 5432, {
    ...me,
    uid: me.uid + 1,
    gid: me.gid + 1,
    isSwitched: me.uid === 0,
  })
  expect(dirname(other)).toBe(me.uid === 0 ? '/tmp' : base)
  rmSync(other, { recursive: true })
})
