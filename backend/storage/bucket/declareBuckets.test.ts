import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../config/loadConfig.ts'
import { configuredSize } from '../../config/configuredSize.ts'
import { declareBuckets } from './declareBuckets.ts'

const dir = mkdtempSync(join(tmpdir(), 'linnet-buckets-'))
afterAll(() => rmSync(dir, { recursive: true }))

const declare = async (text: string): Promise<void> => {
  writeFileSync(join(dir, 'config.toml'), text)
  const config = loadConfig(dir)
  configuredSize(config, 'storage.file_size_limit', '50MiB')
  // Nothing is written unless all of it can be: the database is not even asked.
  await declareBuckets(null as never, config)
}

test.each([
  ['[storage.buckets."a/b"]', 'storage.buckets.a/b is invalid: Bucket name invalid'],
  [`[storage.buckets.${'x'.repeat(101)}]`, 'Bucket name invalid'],
  [
    '[storage.buckets.good]\n[storage.buckets.x]\nallowed_mime_types = ["png"]',
    'mime type png is not supported',
  ],
  ['[storage.buckets.x]\nallowed_mime_types = [5]', 'storage.buckets.x.allowed_mime_types'],
  ['[storage.buckets.x]\npublic = "yes"', 'storage.buckets.x.public'],
  ['[storage.buckets.x]\nfile_size_limit = "large"', 'must be a size such as "50MiB", not "large"'],
  ['[storage]\nfile_size_limit = "-1"', 'storage.file_size_limit must be a size'],
  ['[storage]\nbuckets = 5', 'storage.buckets must be a table'],
  ['[storage.buckets]\nx = 5', 'storage.buckets.x must be a table'],
])('%j cannot be', async (text, sentence) => {
  const refusal = await declare(text).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ConfigError)
  expect((refusal as Error).message).toContain(sentence)
})

test('no bucket asks nothing of the database', async () => {
  await expect(declare('')).resolves.toBeUndefined()
})
