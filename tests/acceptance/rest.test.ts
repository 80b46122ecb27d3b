import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  anonymous,
  describeWithSchema,
  publicHeaders,
  service,
  target,
  tokenOf,
  usePeople,
  type Person,
} from './target.ts'

const people = usePeople()
let ann: Person
let bea: Person
let list: string

const items = () => bea.client.from('acceptance_items')

beforeAll(async () => {
  if (!target.hasSchema) return
  ;[ann, bea] = await Promise.all([people.signUp(), people.signUp()])
  const { data } = await bea.client
    .from('acceptance_lists')
    .insert({ title: 'Groceries' })
    .select()
    .single()
    .throwOnError()
  list = data.id as string
  await items()
    .insert(
      [
        {
          list_id: list,
          position: 1,
          body: 'Bread',
          tags: ['bakery'],
          details: { count: 1, unit: { name: 'loaf' } },
        },
        { list_id: list, position: 2, body: 'Milk, cold', tags: ['dairy', 'cold'], is_done: true },
        { list_id: list, position: 3, body: 'Butter (100%)', tags: ['dairy'], details: { count: 2 } },
      ],
      { defaultToNull: false },
    )
    .throwOnError()
})

const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${target.url}/rest/v1${path}`, {
    ...init,
    headers: {
      ...publicHeaders,
      authorization: `Bearer ${await tokenOf(bea.client)}`,
      ...(init.headers as object),
    },
  })

describeWithSchema('reading', () => {
  const bodies = async (query: PromiseLike<{ data: unknown }>): Promise<string[]> =>
    ((await query).data as { body: string }[]).map(({ body }) => body.split(/[ ,]/)[0]!)
  const select = () => items().select('body').order('position')

  it('filters', async () => {
    expect(await bodies(select().eq('is_done', true))).toEqual(['Milk'])
    expect(await bodies(select().neq('position', 2))).toEqual(['Bread', 'Butter'])
    expect(await bodies(select().gt('position', 1).lte('position', 3))).toEqual(['Milk', 'Butter'])
    expect(await bodies(select().like('body', 'B%'))).toEqual(['Bread', 'Butter'])
    expect(await bodies(select().ilike('body', '%MILK%'))).toEqual(['Milk'])
    expect(await bodies(select().in('body', ['Milk, cold', 'Butter (100%)']))).toEqual(['Milk', 'Butter'])
    expect(await bodies(select().contains('tags', ['dairy']))).toEqual(['Milk', 'Butter'])
    expect(await bodies(select().overlaps('tags', ['cold', 'bakery']))).toEqual(['Bread', 'Milk'])
    expect(await bodies(select().contains('details', { count: 2 }))).toEqual(['Butter'])
    expect(await bodies(select().or('position.eq.1,and(is_done.is.true,position.eq.2)'))).toEqual([
      'Bread',
      'Milk',
    ])
    expect(await bodies(select().not('is_done', 'is', true))).toEqual(['Bread', 'Butter'])
    expect(await bodies(select().eq('details->unit->>name', 'loaf'))).toEqual(['Bread'])
  })

  it('orders and pages, with the count on request', async () => {
    const page = await items()
      .select('position', { count: 'exact' })
      .order('position', { ascending: false })
      .range(0, 1)
    expect(page).toMatchObject({ status: 206, count: 3, data: [{ position: 3 }, { position: 2 }] })
    const none = await items().select('*', { count: 'exact', head: true })
    expect(none).toMatchObject({ status: 200, count: 3, data: null })
    const beyond = await request('/acceptance_items?offset=100', { headers: { prefer: 'count=exact' } })
    expect(beyond.status).toBe(416)
    expect(await beyond.json()).toMatchObject({ code: 'PGRST103' })
  })

  it('selects columns by alias, cast and path', async () => {
    const { data } = await items()
      .select('n:position, at:position::text, unit:details->unit->>name')
      .eq('position', 1)
      .single()
    expect(data).toEqual({ n: 1, at: '1', unit: 'loaf' })
  })

  it('embeds related rows in both directions', async () => {
    const lists = await bea.client
      .from('acceptance_lists')
      .select('title, acceptance_items(position)')
      .order('position', { referencedTable: 'acceptance_items' })
    expect(lists.data).toEqual([
      { title: 'Groceries', acceptance_items: [{ position: 1 }, { position: 2 }, { position: 3 }] },
    ])
    const one = await items()
      .select('position, list:acceptance_lists!inner(title)')
      .eq('position', 1)
      .single()
    expect(one.data).toEqual({ position: 1, list: { title: 'Groceries' } })
    const inner = await items().select('acceptance_lists!inner(title)').eq('acceptance_lists.title', 'Other')
    expect(inner.data).toEqual([])
  })

  it('returns one object on request', async () => {
    expect((await items().select().eq('position', 1).single()).data).toMatchObject({ body: 'Bread' })
    expect((await items().select().eq('position', 9).maybeSingle()).data).toBeNull()
    expect(await items().select().single()).toMatchObject({ status: 406, error: { code: 'PGRST116' } })
  })

  it('returns CSV', async () => {
    const { data } = await items().select('position, body').order('position').csv()
    expect(data).toBe('position,body\n1,Bread\n2,"Milk, cold"\n3,"Butter (100%)"')
  })

  it('names an unknown column, relationship or function', async () => {
    expect(await bea.client.from('acceptance_nothing').select()).toMatchObject({
      status: 404,
      error: { code: 'PGRST205' },
    })
    expect(await items().select('nothing')).toMatchObject({ status: 400, error: { code: '42703' } })
    expect(await items().select('*, nothing(*)')).toMatchObject({ status: 400, error: { code: 'PGRST200' } })
    const operator = await request('/acceptance_items?position=nearly.1')
    expect([operator.status, ((await operator.json()) as { code: string }).code]).toEqual([400, 'PGRST100'])
  })
})

describeWithSchema('writing', () => {
  const own = async (): Promise<string> => {
    const title = `List ${randomUUID().slice(0, 8)}`
    const { data } = await ann.client
      .from('acceptance_lists')
      .insert({ title })
      .select('id')
      .single()
      .throwOnError()
    return data.id as string
  }
  const table = () => ann.client.from('acceptance_items')

  it('inserts, and returns the rows on request', async () => {
    const list_id = await own()
    expect(await table().insert({ list_id, position: 1, body: 'One' })).toMatchObject({
      status: 201,
      data: null,
      error: null,
    })
    const rows = await table()
      .insert([2, 3].map((position) => ({ list_id, position, body: 'More' })))
      .select('position, is_done')
    expect(rows).toMatchObject({
      status: 201,
      data: [
        { position: 2, is_done: false },
        { position: 3, is_done: false },
      ],
    })
  })

  it('updates and deletes what the filter matches', async () => {
    const list_id = await own()
    await table()
      .insert([1, 2].map((position) => ({ list_id, position, body: 'Some' })))
      .throwOnError()
    const updated = await table()
      .update({ is_done: true })
      .eq('list_id', list_id)
      .eq('position', 2)
      .select('position')
    expect(updated).toMatchObject({ status: 200, data: [{ position: 2 }] })
    expect(await table().delete().eq('list_id', list_id).eq('is_done', true)).toMatchObject({ status: 204 })
    expect((await table().select('position').eq('list_id', list_id)).data).toEqual([{ position: 1 }])
  })

  it('upserts by a unique key', async () => {
    const list_id = await own()
    const onConflict = 'list_id,position'
    await table().upsert({ list_id, position: 1, body: 'First' }, { onConflict }).throwOnError()
    await table().upsert({ list_id, position: 1, body: 'Second' }, { onConflict }).throwOnError()
    await table()
      .upsert({ list_id, position: 1, body: 'Third' }, { onConflict, ignoreDuplicates: true })
      .throwOnError()
    expect((await table().select('body').eq('list_id', list_id)).data).toEqual([{ body: 'Second' }])
  })

  it('names the constraint that a row breaks', async () => {
    const lists = ann.client.from('acceptance_lists')
    const list_id = await own()
    expect(await lists.insert({ title: '' })).toMatchObject({ status: 400, error: { code: '23514' } })
    await table().insert({ list_id, position: 1, body: 'One' }).throwOnError()
    expect(await table().insert({ list_id, position: 1, body: 'Again' })).toMatchObject({
      status: 409,
      error: { code: '23505' },
    })
    expect(await table().insert({ list_id, body: 'No position' })).toMatchObject({
      status: 400,
      error: { code: '23502' },
    })
    expect(await table().insert({ list_id, position: 'two', body: '' })).toMatchObject({
      status: 400,
      error: { code: '22P02' },
    })
    expect(await table().insert({ list_id, position: 2, body: '', nothing: 1 })).toMatchObject({
      status: 400,
      error: { code: 'PGRST204' },
    })
  })

  it('rejects a body that is not JSON', async () => {
    const response = await request('/acceptance_items', {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'PGRST102'])
  })
})

describeWithSchema('row security', () => {
  it("hides the rows of other users, who can't change them either", async () => {
    expect((await ann.client.from('acceptance_items').select().eq('list_id', list)).data).toEqual([])
    expect(
      (await ann.client.from('acceptance_items').update({ body: 'Mine' }).eq('list_id', list).select()).data,
    ).toEqual([])
    const insert = await ann.client.from('acceptance_lists').insert({ title: 'Theirs', owner: bea.user.id })
    expect(insert).toMatchObject({ status: 403, error: { code: '42501' } })
    expect((await items().select('body')).data).toHaveLength(3)
  })

  it('refuses callers without a session, and a token that is not valid', async () => {
    expect(await anonymous().from('acceptance_items').select()).toMatchObject({
      status: 401,
      error: { code: '42501' },
    })
    const response = await request('/acceptance_items', { headers: { authorization: 'Bearer nonsense' } })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([401, 'PGRST301'])
  })

  it('does not apply to the secret key', async () => {
    expect((await service().from('acceptance_items').select('body').eq('list_id', list)).data).toHaveLength(3)
  })
})

describeWithSchema('a function', () => {
  it('a function is called with named arguments and defaults', async () => {
    expect((await bea.client.rpc('acceptance_add', { a: 2, b: 3 })).data).toBe(5)
    expect((await bea.client.rpc('acceptance_add', { a: 2 })).data).toBe(3)
    expect((await bea.client.rpc('acceptance_add', { a: 2 }, { get: true })).data).toBe(3)
  })

  it('returns rows that are filtered, ordered and embedded as those of a table', async () => {
    const { data } = await bea.client
      .rpc('acceptance_open_items', { list })
      .select('position, acceptance_lists(title)')
      .gt('position', 1)
      .order('position')
    expect(data).toEqual([{ position: 3, acceptance_lists: { title: 'Groceries' } }])
  })

  it('chooses the status of its error', async () => {
    const { status, error } = await bea.client.rpc('acceptance_refuse')
    expect([status, error]).toMatchObject([418, { message: 'short and stout', hint: 'Use a cup.' }])
  })

  it('that is unknown, or not granted, is refused', async () => {
    expect(await bea.client.rpc('acceptance_nothing')).toMatchObject({
      status: 404,
      error: { code: 'PGRST202' },
    })
    expect(await anonymous().rpc('acceptance_add', { a: 1 })).toMatchObject({
      status: 401,
      error: { code: '42501' },
    })
  })
})

describe('without a key', () => {
  it('returns 401', async () => {
    expect((await fetch(`${target.url}/rest/v1/acceptance_items`)).status).toBe(401)
  })
})
