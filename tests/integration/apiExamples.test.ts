import type { SupabaseClient } from '@supabase/supabase-js'
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Backend } from '../support/backend.ts'
import { call, foundWorkspace } from '../support/people.ts'
import { startBackendForLoopback } from '../support/startBackendForLoopback.ts'

/** Runs the examples of docs/api.md as they are, with a bot of their own. */
const root = join(import.meta.dirname, '../..')
const blocks = [...readFileSync(join(root, 'docs/api.md'), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
const examples = (language: string): string[] =>
  blocks.filter((block) => block[1] === language).map((block) => block[2]!)
const run = promisify(execFile)

let backend: Backend
let ann: SupabaseClient
let channel: string
let bot: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  const started = await startBackendForLoopback()
  backend = started
  await started.allowEntering()
  const founded = await foundWorkspace(backend)
  ;({ ann, channel } = founded)
  bot = randomUUID()
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
  const [example] = examples('js')
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
  await run('python3', ['-c', examples('python')[0]!], { env })
  expect((await messages()).map(({ body }) => body)).toContain('Good morning, sent by Python')
})

const WAIT = { interval: 50 }

/** Runs an example as the server of a new command, and enters that. */
async function serveCommand(name: string, program: string, args: string[], work: () => Promise<void>) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  await call(ann, 'create_bot_command', { bot, name, description: 'High and low water', url })
  const { secret } = await call(ann, 'renew_command_secret', { bot })
  const server = spawn(program, args, {
    env: { ...env, PORT: String(port), COMMAND_SECRET: secret },
    stdio: 'ignore',
  })
  try {
    await vi.waitFor(async () => {
      // It responds, and refuses what is not signed.
      expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(401)
    }, WAIT)
    await call(ann, 'invoke_command', { id: randomUUID(), channel, name, text: 'Cuxhaven' })
    await work()
  } finally {
    server.kill()
  }
}

const responses = async () => {
  const { own } = await call(ann, 'bootstrap', {})
  return (own.responses ?? []).map(({ body }) => body)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

it.runIf(hasPython)('a command server in Python responds to the caller', async () => {
  const [, example, ...others] = examples('python')
  expect(others).toEqual([])
  await serveCommand('tide', 'python3', ['-c', example!], async () => {
    const expected = '**High water** in Cuxhaven: 08:12, from Python'
    await vi.waitFor(async () => expect(await responses()).toContain(expected), WAIT)
  })
})

it('a command server in Node responds to the caller, then to everyone', async () => {
  const [, example, ...others] = examples('js')
  expect(others).toEqual([])
  await serveCommand('ebb', 'node', ['--input-type=module', '-e', example!], async () => {
    await vi.waitFor(async () => expect(await responses()).toContain('Looking up Cuxhaven …'), WAIT)
    const expected = 'Ann Okafor: **high water** in Cuxhaven at 08:12, from Node'
    const bodies = async () => (await messages()).map(({ body }) => body)
    await vi.waitFor(async () => expect(await bodies()).toContain(expected), WAIT)
  })
})
