import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../config/loadConfig.ts'
import { createLogger } from '../logging/logger.ts'
import { prepareKeys } from './prepareKeys.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-keys-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('a file of keys that can not be looked at keeps the keys in use, until it can be read again', async () => {
  const lines: string[] = []
  const log = createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) })
  const prepared = await prepareKeys(dataDir, loadConfig(dataDir), log)
  prepared.close()
  const { kid } = prepared.keys.signing
  const file = join(dataDir, 'secrets.json')
  renameSync(file, `${file}.aside`)
  // Fails as a folder without permission does, also for root.
  symlinkSync(file, file)
  await prepared.look()
  await prepared.look()
  expect(lines.filter((line) => line.includes('could not be taken up'))).toHaveLength(1)
  expect(prepared.keys.signing.kid).toBe(kid)
  // A start says so in a sentence, and neither replaces them.
  await expect(prepareKeys(dataDir, loadConfig(dataDir), log)).rejects.toThrow(
    new ConfigError(`${file} can't be read (ELOOP).`),
  )
  rmSync(file)
  await prepared.look()
  expect(existsSync(file)).toBe(false)
  renameSync(`${file}.aside`, file)
  await prepared.look()
  expect(lines.at(-1)).toContain('signing keys taken up')
  expect(prepared.keys.signing.kid).toBe(kid)
})
