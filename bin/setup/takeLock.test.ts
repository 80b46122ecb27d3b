import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { takeLock } from './takeLock.mjs'

let lock = ''
beforeEach(() => {
  lock = join(mkdtempSync(join(tmpdir(), 'linnet-lock-')), 'lock')
})
afterEach(() => rmSync(join(lock, '..'), { recursive: true }))

/** Starts a process that takes the lock, prints "taken" and has it until it is killed. */
const startHolder = (): ChildProcessByStdio<null, Readable, Readable> => {
  const program = `import { takeLock } from '${import.meta.dirname}/takeLock.mjs'
takeLock(${JSON.stringify(lock)}, 'works')
process.stdout.write('taken')
setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  return holder
}
const nextText = async (stream: Readable): Promise<string> => String((await once(stream, 'data'))[0])

it('a second process waits until the first one has ended, even if it was killed', async () => {
  const first = startHolder()
  expect(await nextText(first.stdout)).toBe('taken')
  const second = startHolder()
  expect(await nextText(second.stderr)).toBe(`Process ${first.pid} works; waiting for it…\n`)
  expect(readFileSync(lock, 'utf8')).toBe(String(first.pid))
  first.kill('SIGKILL')
  expect(await nextText(second.stdout)).toBe('taken')
  expect(readFileSync(lock, 'utf8')).toBe(String(second.pid))
})

it('the lock of a process that has ended is taken, and released', () => {
  writeFileSync(lock, String(spawnSync(process.execPath, ['--version']).pid))
  const release = takeLock(lock, 'works')
  expect(readFileSync(lock, 'utf8')).toBe(String(process.pid))
  release()
  expect(existsSync(lock)).toBe(false)
})
