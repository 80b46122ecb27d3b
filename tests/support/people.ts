import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'
import type { Commands, CommandName } from '../../wire/commands.ts'

/** Where a backend is and the keys to it: what `linnet start --json` prints. */
export interface Address {
  url: string
  publishableKey: string
  secretKey: string
  setupUrl: string | null
}

/** A client as the browser has it: public key, no stored session. */
export function clientOf({ url, publishableKey }: Pick<Address, 'url' | 'publishableKey'>): SupabaseClient {
  return createClient(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never },
  })
}

/** A client that bypasses row security. */
export function adminOf({ url, secretKey }: Pick<Address, 'url' | 'secretKey'>): SupabaseClient {
  return createClient(url, secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never },
  })
}

/** Everybody's password in tests, so that a person can sign in again after a restart. */
const password = `${randomUUID()}-Aa1`

const emailOf = (name: string): string => `${name.toLowerCase()}@harbour.example`

/** Signs in someone who has an account. */
export async function signInAgain(address: Address, name: string): Promise<SupabaseClient> {
  const client = clientOf(address)
  const { error } = await client.auth.signInWithPassword({ email: emailOf(name), password })
  if (error) throw error
  return client
}

/** Creates a confirmed account and signs it in. */
export async function signUp(address: Address, name: string): Promise<SupabaseClient> {
  const { error } = await adminOf(address).auth.admin.createUser({
    email: emailOf(name),
    password,
    email_confirm: true,
  })
  if (error) throw error
  return signInAgain(address, name)
}

/** Calls a command and returns its result; throws its error. */
export async function call<N extends CommandName>(
  client: SupabaseClient,
  name: N,
  args: Commands[N]['args'],
): Promise<Commands[N]['response']> {
  const { data, error } = await client.rpc(name, args)
  if (error) throw error
  return data as Commands[N]['response']
}

/** Signs Ann up and makes her the owner of a new workspace, by the set-up token of a fresh start. */
export async function foundWorkspace(
  address: Address,
): Promise<{ ann: SupabaseClient; workspace: string; channel: string }> {
  if (address.setupUrl === null) throw new Error('This workspace is founded already.')
  const token = new URLSearchParams(new URL(address.setupUrl).hash.slice(1)).get('token')!
  const ann = await signUp(address, 'ann')
  const founded = await call(ann, 'found_workspace', {
    token,
    workspace_name: 'Harbour Street',
    channel_name: 'front-desk',
    person_name: 'Ann Okafor',
  })
  return { ann, workspace: founded.workspace.id, channel: founded.channel_id }
}

/** Invites a person by link and accepts as them. */
export async function bring(
  address: Address,
  ann: SupabaseClient,
  o: { workspace: string; channels: string[]; name: string; role?: 'member' | 'guest' },
): Promise<SupabaseClient> {
  const invitation = await call(ann, 'create_invitation', {
    workspace: o.workspace,
    role: o.role ?? 'member',
    channels: o.channels,
  })
  const person = await signUp(address, o.name)
  await call(person, 'accept_invitation', { token: invitation.token, person_name: o.name })
  return person
}
