import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startBackend, type Backend } from '../../support/backend.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const page = readFileSync(join(root, 'docs/hosted.md'), 'utf8')
let source: Backend
let target: Backend

beforeAll(async () => {
  ;[source, target] = await Promise.all([startBackend(), startBackend()])
})
afterAll(async () => {
  await Promise.all([source?.stop(), target?.stop()])
})

const storageOf = ({ url, secretKey }: Backend): SupabaseClient['storage'] =>
  createClient(url, secretKey, {
    auth: { persistSession: false },
    realtime: { transport: WebSocket as never },
  }).storage

it('the script in docs/hosted.md copies objects with their types, and can be repeated', async () => {
  const [, script] = /```js\n([^]*?)```/.exec(page)!
  // Inside of the checkout, as it imports its packages.
  const dir = mkdtempSync(join(root, 'node_modules', '.copy-objects-'))
  writeFileSync(join(dir, 'copy-objects.mjs'), script!)
  const names = ['a/1/file', 'a/1/thumb', 'b/2/file']
  const put = (name: string) =>
    storageOf(source).from('files').upload(name, Buffer.from(name), {
      contentType: 'text/plain',
      cacheControl: '31536000',
    })
  for (const { error } of await Promise.all(names.map(put))) expect(error).toBeNull()
  const copy = () =>
    promisify(execFile)(process.execPath, [join(dir, 'copy-objects.mjs')], {
      env: {
        ...process.env,
        SOURCE_URL: source.url,
        SOURCE_KEY: source.secretKey,
        TARGET_URL: target.url,
        TARGET_KEY: target.secretKey,
      },
    })
  try {
    await copy()
    await copy()
  } finally {
    rmSync(dir, { recursive: true })
  }
  const { data } = await storageOf(target).from('files').listV2({})
  expect(
    data?.objects.map(({ name, metadata }) => [name, metadata?.['mimetype'], metadata?.['cacheControl']]),
  ).toEqual(names.map((name) => [name, 'text/plain', 'max-age=31536000']))
  const copied = await storageOf(target).from('files').download('b/2/file')
  expect(await copied.data?.text()).toBe('b/2/file')
})
