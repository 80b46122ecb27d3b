import type { SupabaseClient } from '@supabase/supabase-js'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startBackend, type Backend } from '../support/backend.ts'
import { call, foundWorkspace } from '../support/people.ts'

/** Runs the examples of docs/api.md as they are, with a bot of their own. */
const root = join(import.meta.dirname, '../..')
const blocks = [...readFileSync(join(root, 'docs/api.md'), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
const examples = (language: string): string[] =>
  blocks.filter((block) => block[1] === language).map((block) => block[2]!)
const run = promisify(execFile)

let backend: Backend
let ann: SupabaseClient
let channel: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  backend = await startBackend()
  const founded = await foundWorkspace(backend)
  ;({ ann, channel } = founded)
  const bot = randomUUID()
  await call(ann, 'create_bot', { id: bot, workspace: founded.workspace, name: 'Tides', channels: [channel] })
  const { email, token } = await call(ann, 'create_bot_token', { bot, days: 1 })
  const webhook = await call(ann, 'create_incoming_webhook', { bot, channel })
  env = {
    ...process.env,
    LINNET_URL: backend.url,
    LINNET_KEY: backend.publishableKey,
    BOT_EMAIL: email,
    BOT_TOKEN: token,
    CHANNEL: channel,
    WEBHOOK_URL: `${backend.url}/functions/v1/incoming-webhook/${webhook.token}`,
  }
})
afterAll(() => backend?.stop())

const messages = async () => (await call(ann, 'channel_page', { channel })).messages

it('has examples in each language, and no other code', () => {
  expect(new Set(blocks.map((block) => block[1]))).toEqual(new Set(['sh', 'js', 'python']))
})

it('curl reads, sends, reacts, replies and posts by a webhook', async () => {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', examples('sh').join('\n')], { env })
  expect(stdout).toContain('front-desk')
  expect(stdout.endsWith('ok')).toBe(true)
  const listed = await messages()
  const sent = listed.find(({ body }) => body.includes('sent by curl'))
  expect(sent).toMatchObject({ reply_count: 1, reactions: [{ emoji: '🌊', count: 1 }] })
  expect(listed.map(({ body }) => body)).toContain(
    '**Tides**\n**High water** at 08:12, see [the table](<https://tides.example/>)',
  )
})

it('supabase-js signs in, receives, uploads and sends, and catches up', async () => {
  const [example, ...others] = examples('js')
  expect(others).toEqual([])
  const { stdout } = await run('node', ['--input-type=module', '-e', example!], { env, cwd: root })
  expect(stdout).toMatch(/^Received: The tide table, sent by supabase-js\nChanged: \d+\n$/)
  const sent = (await messages()).find(({ body }) => body.includes('sent by supabase-js'))
  expect(sent?.attachments.map(({ name }) => name)).toEqual(['tides.txt'])
})

const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
)
it.runIf(hasPython)('Python signs in and sends', async () => {
  for (const example of examples('python')) await run('python3', ['-c', example], { env })
  expect((await messages()).map(({ body }) => body)).toContain('Good morning, sent by Python')
})
