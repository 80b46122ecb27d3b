import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { followLines, readLastLines } from './readLog.ts'

let dir = ''
let path = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-log-'))
  path = join(dir, 'linnet.log')
})
afterEach(() => rmSync(dir, { recursive: true }))

it('reads the last matching lines from all files', async () => {
  expect(await readLastLines(dir, 5, () => true)).toEqual([])
  writeFileSync(`${path}.2`, 'a1\nb1\n')
  writeFileSync(`${path}.1`, 'a2\n')
  writeFileSync(path, 'b3\na4\n')
  expect(await readLastLines(dir, 3, () => true)).toEqual(['a2', 'b3', 'a4'])
  expect(await readLastLines(dir, 3, (line) => line.startsWith('a'))).toEqual(['a1', 'a2', 'a4'])
  expect(await readLastLines(dir, 0, () => true)).toEqual([])
})

it('follows new lines across log rotation, each complete and once', async () => {
  writeFileSync(path, 'old\n')
  const lines: string[] = []
  const end = new AbortController()
  const following = followLines(dir, end.signal, (line) => lines.push(line))
  const until = async (last: string): Promise<void> => {
    await expect.poll(() => lines.at(-1)).toBe(last)
  }
  appendFileSync(path, 'first\nh')
  await until('first')
  appendFileSync(path, 'älf')
  appendFileSync(path, 'te\n')
  await until('hälfte')
  appendFileSync(path, 'last of the old\n')
  renameSync(path, `${path}.1`)
  writeFileSync(path, 'first of the new\n')
  await until('first of the new')
  end.abort()
  await following
  expect(lines).toEqual(['first', 'hälfte', 'last of the old', 'first of the new'])
})
