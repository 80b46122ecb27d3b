import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openLogFile } from './logFile.ts'

const folders: string[] = []
const newFolder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-log-'))
  folders.push(dir)
  return dir
}
afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true })
})
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n')

it('appends to an existing file, readable by its owner only', async () => {
  const dir = join(newFolder(), 'logs')
  for (const line of ['{"event":"one"}', '{"event":"two"}']) {
    const file = openLogFile({ dir, onError: expect.unreachable })
    file.write(line)
    await file.close()
  }
  expect(linesOf(join(dir, 'linnet.log'))).toEqual(['{"event":"one"}', '{"event":"two"}'])
  expect(statSync(join(dir, 'linnet.log')).mode & 0o777).toBe(0o600)
  expect(statSync(dir).mode & 0o777).toBe(0o700)
})

it('keeps four files of bounded size with the newest lines', async () => {
  const dir = newFolder()
  const file = openLogFile({ dir, maxBytes: 1_000, onError: expect.unreachable })
  for (let n = 0; n < 300; n++) {
    file.write(JSON.stringify({ n, text: 'x'.repeat(80) }))
  }
  await file.close()
  const names = readdirSync(dir).sort()
  expect(names).toEqual(['linnet.log', 'linnet.log.1', 'linnet.log.2', 'linnet.log.3'])
  for (const name of names) expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(1_000)
  const kept = names
    .toReversed()
    .flatMap((name) => linesOf(join(dir, name)).map((line) => JSON.parse(line).n))
  expect(kept.at(-1)).toBe(299)
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => 300 - kept.length + at))
})

it('drops lines while it cannot write, reports the error once, and later logs how many lines were lost', async () => {
  const dir = newFolder()
  const blocked = join(dir, 'logs')
  writeFileSync(blocked, 'a file where the folder should be')
  const errors: string[] = []
  let report = (): void => {}
  const reported = new Promise<void>((resolve) => (report = resolve))
  const file = openLogFile({
    dir: blocked,
    onError(reason) {
      errors.push(reason)
      report()
    },
  })
  file.write('{"event":"lost 1"}')
  file.write('{"event":"lost 2"}')
  await reported
  rmSync(blocked)
  file.write('{"event":"kept"}')
  await file.close()
  expect(errors).toHaveLength(1)
  const lines = linesOf(join(blocked, 'linnet.log')).filter((line) => line !== '')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ event: 'server.log_lines_lost', lines: 2 }),
    { event: 'kept' },
  ])
})
