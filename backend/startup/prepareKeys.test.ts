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

test('keeps the keys in use while the key file cannot be read, and reloads it afterwards', async () => {
  const lines: string[] = []
  const log = createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) })
  const prepared = await prepareKeys(dataDir, loadConfig(dataDir), log)
  prepared.close()
  const { kid } = prepared.keys.signing
  const file = join(dataDir, 'secrets.json')
  renameSync(file, `${file}.aside`)
  // Reading fails like a directory without permission, also for root.
  symlinkSync(file, file)
  await prepared.reload()
  await prepared.reload()
  expect(lines.filter((line) => line.includes('auth.signing_keys_reload_failed'))).toHaveLength(1)
  expect(prepared.keys.signing.kid).toBe(kid)
  // A start fails with a sentence. Neither replaces the file.
  await expect(prepareKeys(dataDir, loadConfig(dataDir), log)).rejects.toThrow(
    new ConfigError(`${file} can't be read (ELOOP).`),
  )
  rmSync(file)
  await prepared.reload()
  expect(existsSync(file)).toBe(false)
  renameSync(`${file}.aside`, file)
  await prepared.reload()
  expect(lines.at(-1)).toContain('auth.signing_keys_reloaded')
  expect(prepared.keys.signing.kid).toBe(kid)
})
