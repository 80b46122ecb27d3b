import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import { startServer, temporaryData, type Server } from '../../tests/support/server.ts'
import type { Commands } from '../../wire/commands.ts'
import type { AddRow } from '../table.ts'
import { createRandom } from './createText.ts'
import { addMessages, createWorkspace, type SearchWorkspace } from './fillWorkspace.ts'

/** A server with messages. */
export interface Archive {
  server: Server
  client: Client
  /** The reader, by the data API. */
  ann: SupabaseClient
  workspace: SearchWorkspace
  close: () => Promise<void>
}

/** A server with so many messages: one that `folder` has, or a new one, which is stored there if there is a folder. */
export async function openArchive(total: number, folder: string | undefined, add: AddRow): Promise<Archive> {
  const data = folder === undefined ? temporaryData() : keptData(join(resolve(folder), String(total)))
  const stored = join(data.dir, 'search-bench')
  const isFilled = existsSync(stored)
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--no-app', '--demo', '--db-port', '0'],
  })
  const client = new Client(server.dbUrl)
  const close = async (): Promise<void> => {
    await client.end()
    await server.end('SIGTERM')
    data.remove()
  }
  try {
    await client.connect()
    const ann = await signIn(server, 'ann')
    if (isFilled) {
      return { server, client, ann, workspace: deserialize(readFileSync(stored)) as SearchWorkspace, close }
    }
    const account = (await ann.auth.getUser()).data.user!.id
    const bootstrap = await callCommand(ann, 'bootstrap', {})
    const random = createRandom(1)
    const workspace = await createWorkspace(
      client,
      { workspace: bootstrap.workspace!.id, profile: bootstrap.me!.profile.id, account },
      random,
    )
    // A session with the id of the account, as the others have.
    await client.query(`insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())`, [
      account,
    ])
    await client.query(`update public.settings set value = '{}' where key = 'rate_limits'`)
    const started = performance.now()
    await addMessages(client, workspace, total, random)
    add({
      what: `messages indexed, of ${total}`,
      value: (total / (performance.now() - started)) * 1000,
      unit: 'messages/s',
    })
    if (folder !== undefined) writeFileSync(stored, serialize(workspace))
    return { server, client, ann, workspace, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A data folder that remains; PostgreSQL, which may run as another user, needs access. */
function keptData(dir: string): ReturnType<typeof temporaryData> {
  mkdirSync(dir, { recursive: true })
  chmodSync(dir, 0o755)
  return { dir, remove: () => {} }
}

/** A client of a person of the demo. */
export async function signIn(server: Server, name: string): Promise<SupabaseClient> {
  const open = (key: string) =>
    createClient(server.url, key, {
      auth: { persistSession: false },
      realtime: { transport: WebSocket as never },
    })
  const made = await open(server.secretKey).auth.admin.generateLink({
    type: 'magiclink',
    email: `${name}@harbour.example`,
  })
  if (made.error) throw made.error
  const client = open(server.publishableKey)
  const { error } = await client.auth.verifyOtp({
    token_hash: made.data.properties.hashed_token,
    type: 'email',
  })
  if (error) throw error
  return client
}

export async function callCommand<N extends keyof Commands>(
  client: SupabaseClient,
  name: N,
  args: Commands[N]['args'],
): Promise<Commands[N]['response']> {
  const { data, error } = await client.rpc(name, args)
  if (error) throw new Error(`${name} ${JSON.stringify(args)}: ${error.message}`)
  return data as Commands[N]['response']
}
