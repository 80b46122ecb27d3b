import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Uuid } from '../../../wire/scalars.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf, bring, call, foundWorkspace, signInAgain, signUp } from '../../support/people.ts'
import { forge, request, tokenOf } from './accessFixture.ts'

const roles = ['owner', 'admin', 'member', 'guest', 'former', 'outsider'] as const
type Role = (typeof roles)[number]
interface Person {
  id: Uuid
  token: string
}

let backend: Backend
let workspace: Uuid
let lobby: Uuid
/** Two people of each role: who acts, and on whom. */
const actors = {} as Record<Role, Person>
const targets = {} as Record<Role, Person>

beforeAll(async () => {
  backend = await startBackend()
  const founded = await foundWorkspace(backend)
  const { ann } = founded
  workspace = founded.workspace
  lobby = founded.channel
  const admin = adminOf(backend)
  for (const [people, label] of [
    [actors, 'actor'],
    [targets, 'target'],
  ] as const) {
    for (const role of roles) {
      const name = `${label}-${role}`
      if (role === 'outsider') {
        people[role] = { id: randomUUID(), token: await tokenOf(await signUp(backend, name)) }
        continue
      }
      const client = await bring(backend, ann, {
        workspace,
        channels: [lobby],
        name,
        role: role === 'guest' ? 'guest' : 'member',
      })
      const { id } = (await call(client, 'bootstrap', {})).me!.profile
      if (role === 'owner' || role === 'admin') {
        await call(ann, 'set_member_role', { workspace, person: id, role })
      }
      if (role === 'former') await call(ann, 'deactivate_member', { workspace, person: id })
      people[role] = {
        id,
        token: await tokenOf(role === 'former' ? await signInAgain(backend, name) : client),
      }
    }
  }
  const db = new Client({ connectionString: backend.dbUrl })
  await db.connect()
  await db.query(`alter role authenticator set pgrst.db_tx_end = 'commit-allow-override'`)
  await db.query(`notify pgrst, 'reload config'`)
  await db.end()
  const { error } = await admin.from('settings').update({ value: {} }).eq('key', 'rate_limits')
  if (error) throw error
  await vi.waitFor(async () => {
    const { headers } = await send('list_people', { workspace }, actors.owner.token)
    expect(headers.get('preference-applied')).toContain('tx=rollback')
  })
})
afterAll(() => backend?.stop())

const send = (command: string, args: object, token: string) =>
  request({ backend }, `/rest/v1/rpc/${command}`, token, {
    method: 'POST',
    body: JSON.stringify(args),
    headers: { prefer: 'tx=rollback' },
  })

/** Each action as the command that a program would send. */
function requestOf(action: string, person: Uuid): [command: string, args: object] {
  const role = /^make (\w+)$/.exec(action)?.[1]
  if (role !== undefined) return ['set_member_role', { workspace, person, role }]
  switch (action) {
    case 'transfer ownership':
      return ['transfer_ownership', { workspace, person }]
    case 'limit access':
      return ['set_guest_access', { workspace, person, channels: [lobby], expires_at: 'tomorrow' }]
    case 'deactivate':
      return ['deactivate_member', { workspace, person }]
    case 'reactivate':
      return ['reactivate_member', { workspace, person }]
    case 'remove':
      return ['remove_person', { workspace, person }]
    case 'sign out':
      return ['sign_out_person', { workspace, person }]
    case 'correct address':
      return ['correct_address', { workspace, person, email: 'corrected@elsewhere.example' }]
    case 'leave':
      return ['leave_workspace', { workspace }]
    case 'erase':
      return ['erase_person', { workspace, person }]
    case 'see details':
      return ['person_details', { workspace, person }]
    case 'list people':
      return ['list_people', { workspace }]
    case 'change options':
      return ['set_workspace_options', { workspace, channels_by: 'admins' }]
    case 'delete workspace':
      return ['schedule_workspace_deletion', { workspace, name: 'Harbour Street' }]
    case 'keep workspace':
      return ['cancel_workspace_deletion', { workspace }]
    default:
      throw new Error(`${action} is no action.`)
  }
}

async function outcomeOf(command: string, args: object, token: string): Promise<string> {
  const response = await send(command, args, token)
  const body = (await response.json()) as { message?: string }
  return response.ok ? 'yes' : String(body.message)
}

test('each action of each role on each other has the outcome of the table, through the data API alone', async () => {
  const file = join(import.meta.dirname, '../../permissions/roles.md')
  const [, , ...rows] = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  expect(rows.length).toBeGreaterThan(50)
  const different: string[] = []
  for (const [action, target, ...expected] of rows as [string, string, ...string[]][]) {
    for (const [i, role] of roles.entries()) {
      const person = target === 'self' ? actors[role].id : targets[target as Role].id
      const outcome = await outcomeOf(...requestOf(action, person), actors[role].token)
      if (outcome !== expected[i])
        different.push(`${role}: ${action} ${target}: ${outcome}, not ${expected[i]}`)
    }
  }
  expect(different).toEqual([])
})

test('neither edited claims nor metadata nor direct writes raise a role', async () => {
  const { member } = actors
  const person = member.id
  const args = { workspace, person, role: 'owner' }
  const claims = { role: 'service_role', app_metadata: { role: 'owner' }, user_role: 'owner' }
  // Signed with another key, the token is refused; user metadata and unknown claims of a valid one mean nothing.
  expect(
    (await send('set_member_role', args, await forge(member.token, claims, 'x'.repeat(40)))).status,
  ).toBe(401)
  const { role: _, ...harmless } = claims
  expect(
    await outcomeOf('set_member_role', args, await forge(member.token, harmless, backend.jwtSecret)),
  ).toBe('not_allowed')
  const metadata = await request({ backend }, '/auth/v1/user', member.token, {
    method: 'PUT',
    body: JSON.stringify({ data: { role: 'owner', workspace_role: 'owner' } }),
  })
  expect(metadata.status).toBe(200)
  expect(await outcomeOf('set_member_role', args, member.token)).toBe('not_allowed')
  const direct = [
    ['PATCH', `workspace_members?profile_id=eq.${person}`, { role: 'owner' }],
    ['PATCH', `workspace_members?profile_id=eq.${person}`, { expires_at: null, state: 'active' }],
    ['PATCH', `profiles?id=eq.${person}`, { user_id: null }],
    ['POST', 'workspace_members', { workspace_id: workspace, profile_id: person, role: 'owner' }],
    [
      'POST',
      'workspace_members?on_conflict=workspace_id,profile_id',
      { workspace_id: workspace, role: 'owner' },
    ],
    ['DELETE', `workspace_members?profile_id=eq.${actors.owner.id}`, null],
    ['PATCH', `workspaces?id=eq.${workspace}`, { deletes_at: null, channels_by: 'members' }],
  ] as const
  for (const [method, path, body] of direct) {
    const response = await request({ backend }, `/rest/v1/${path}`, member.token, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    expect([method, path, response.status]).toEqual([method, path, 403])
  }
})

test('nobody gets a phone number that they have not confirmed', async () => {
  const user = (init?: RequestInit) => request({ backend }, '/auth/v1/user', actors.member.token, init)
  await user({ method: 'PUT', body: JSON.stringify({ phone: '+4915100000001' }) })
  expect(await (await user()).json()).toMatchObject({ phone: '' })
})
