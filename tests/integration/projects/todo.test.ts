import type { SupabaseClient } from '@supabase/supabase-js'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'
import type { Database, Tables } from '../../support/projects/todo/database.generated.ts'
import { clientOf, projectDir, signIn, typesOf } from './project.ts'

const root = join(import.meta.dirname, '../../..')
const data = temporaryData()
const password = 'password123'
let server: Server
let mia: SupabaseClient<Database>
let noah: SupabaseClient<Database>

const start = (): Promise<Server> =>
  startServer({ root, dataDir: data.dir, args: ['--no-app', '--supabase', projectDir('todo')] })

beforeAll(async () => {
  await createDataFromTemplate(data.dir)
  server = await start()
  ;[mia, noah] = await Promise.all([
    signIn<Database>(server, 'mia@example.com', password),
    signIn<Database>(server, 'noah@example.com', password),
  ])
})
afterAll(async () => {
  await server.end('SIGTERM')
  data.remove()
})

const tasksOf = async (client: SupabaseClient<Database>): Promise<(string | null)[]> => {
  const { data } = await client.from('todos').select('task').order('id').throwOnError()
  return data.map((todo) => todo.task)
}

it('generates the types that its application uses', async () => {
  const types = await typesOf('todo', server.dbUrl)
  await expect(types).toMatchFileSnapshot('../../support/projects/todo/database.generated.ts')
})

describe('seeded users', () => {
  it('sign in with a password hashed by crypt()', async () => {
    const { data } = await mia.auth.getUser()
    expect(data.user).toMatchObject({
      email: 'mia@example.com',
      identities: [{ provider: 'email', identity_data: { email: 'mia@example.com' } }],
    })
  })

  it('cannot sign in with a wrong password', async () => {
    const { error } = await clientOf(server).auth.signInWithPassword({
      email: 'mia@example.com',
      password: 'password124',
    })
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials' })
  })

  it('have profiles created by the trigger', async () => {
    const { data } = await clientOf<Database>(server)
      .from('profiles')
      .select('full_name')
      .order('full_name')
      .throwOnError()
    expect(data).toEqual([{ full_name: 'Mia' }, { full_name: 'Noah' }])
  })
})

describe('todos', () => {
  it('are visible only to their owner', async () => {
    expect(await tasksOf(mia)).toEqual(['Water the plants', 'Return the library books'])
    expect(await tasksOf(noah)).toEqual(['Call the plumber'])
    expect(await tasksOf(clientOf<Database>(server))).toEqual([])
  })

  it('are added, changed and deleted', async () => {
    const added = await noah.from('todos').insert({ task: 'Buy some bread' }).select().single().throwOnError()
    const todo: Tables<'todos'> = added.data
    expect(todo).toMatchObject({ task: 'Buy some bread', is_complete: false, due: null })

    const changed = await noah
      .from('todos')
      .update({ is_complete: true })
      .eq('id', todo.id)
      .select('is_complete, updated_at')
      .single()
      .throwOnError()
    expect(changed.data.is_complete).toBe(true)
    expect(changed.data.updated_at > todo.updated_at).toBe(true)

    await noah.from('todos').delete().eq('id', todo.id).throwOnError()
    expect(await tasksOf(noah)).not.toContain('Buy some bread')
  })

  it('cannot be changed by other users, nor created for them', async () => {
    const changed = await noah
      .from('todos')
      .update({ task: 'Forget the plants' })
      .like('task', 'Water%')
      .select()
    expect(changed).toMatchObject({ error: null, data: [] })
    const { data } = await mia.auth.getUser()
    const made = await noah.from('todos').insert({ task: 'For someone else', user_id: data.user!.id })
    expect(made.error).toMatchObject({
      code: '42501',
      message: 'new row violates row-level security policy for table "todos"',
    })
    expect((await clientOf<Database>(server).from('todos').insert({ task: 'For nobody' })).status).toBe(401)
  })

  it('are checked by their constraints', async () => {
    const { error } = await mia.from('todos').insert({ task: 'abc' })
    expect(error).toMatchObject({ code: '23514', message: expect.stringContaining('todos_task_check') })
  })

  it('belong to lists, with priorities of a later migration', async () => {
    const { data: list } = await noah
      .from('lists')
      .insert({ title: 'House' })
      .select()
      .single()
      .throwOnError()
    await noah
      .from('todos')
      .update({ list_id: list.id, priority: 'medium' })
      .eq('task', 'Call the plumber')
      .throwOnError()
    const filled = (client: SupabaseClient<Database>) =>
      client.from('lists').select('title, todos(task, priority)').throwOnError()
    expect((await filled(noah)).data).toEqual([
      { title: 'House', todos: [{ task: 'Call the plumber', priority: 'medium' }] },
    ])
    expect((await filled(mia)).data).toEqual([])
  })

  it('are counted through the view, and embed their owner', async () => {
    const { count } = await mia.from('open_todos').select('*', { count: 'exact', head: true })
    expect(count).toBe(1)
    const { data } = await mia
      .from('todos')
      .select('task, profiles(full_name)')
      .eq('is_complete', true)
      .single()
    expect(data).toEqual({ task: 'Return the library books', profiles: { full_name: 'Mia' } })
  })
})

describe('a new user', () => {
  it('signs up, has a profile, completes all todos and deletes the account', async () => {
    const client = clientOf<Database>(server)
    const { data: signed } = await client.auth.signUp({
      email: 'olga@example.com',
      password: 'long enough',
      options: { data: { full_name: 'Olga' } },
    })
    // Without confirmations the user is signed in at once.
    expect(signed.session).not.toBeNull()
    const id = signed.user!.id

    const short = await client.from('profiles').update({ username: 'o' }).eq('id', id)
    expect(short.error).toMatchObject({ code: '23514' })
    await client.from('profiles').update({ username: 'olga' }).eq('id', id).throwOnError()

    await client
      .from('todos')
      .insert([{ task: 'First of all' }, { task: 'Second of all' }])
      .throwOnError()
    expect((await client.rpc('finish_all').throwOnError()).data).toBe(2)
    expect((await clientOf<Database>(server).rpc('finish_all')).error).toMatchObject({ code: '42501' })
    expect((await mia.from('open_todos').select('id', { count: 'exact' })).count).toBe(1)

    const admin = clientOf<Database>({ url: server.url, publishableKey: server.serviceRoleKey })
    await admin.auth.admin.deleteUser(id)
    expect((await admin.from('todos').select().eq('user_id', id).throwOnError()).data).toEqual([])
  })

  it('can be anonymous, as the project allows it', async () => {
    const client = clientOf<Database>(server)
    const { data } = await client.auth.signInAnonymously()
    expect(data.user).toMatchObject({ is_anonymous: true })
    await client.from('todos').insert({ task: 'Think of a name' }).throwOnError()
    expect(await tasksOf(client)).toEqual(['Think of a name'])
  })
})

describe('a second start', () => {
  it('serves the same data and does not run the seeds again', async () => {
    const before = await tasksOf(mia)
    await server.end('SIGTERM')
    server = await start()
    mia = await signIn<Database>(server, 'mia@example.com', password)
    expect(await tasksOf(mia)).toEqual(before)
  })
})
