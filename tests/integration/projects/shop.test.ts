import { FunctionsHttpError, type SupabaseClient } from '@supabase/supabase-js'
import { SignJWT } from 'jose'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { Constants, type Database } from '../../support/projects/shop/database.generated.ts'
import { clientOf, projectDir, signIn, typesOf } from './project.ts'

const finches = 'd0000000-0000-4000-8000-000000000001'

let backend: Backend
let anyone: SupabaseClient<Database>
let olive: SupabaseClient<Database>
/** A connection as the owner of the database. */
let sql: Client

beforeAll(async () => {
  backend = await startBackend({ supabase: projectDir('shop') })
  anyone = clientOf<Database>(backend)
  olive = await signIn<Database>(backend, 'olive@example.com', 'oranges!')
  sql = new Client({ connectionString: backend.dbUrl })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await backend.stop()
})

const stockOf = async (product: string): Promise<number> => {
  const { data } = await anyone
    .schema('inventory')
    .from('stock')
    .select('quantity')
    .eq('product_id', product)
    .single()
    .throwOnError()
  return data.quantity
}

it('generates the types that its application uses', async () => {
  const types = await typesOf('shop', backend.dbUrl)
  await expect(types).toMatchFileSnapshot('../../support/projects/shop/database.generated.ts')
})

describe('the catalogue', () => {
  it('contains the rows of several seed files, through the view', async () => {
    const { data } = await anyone
      .from('product_list')
      .select('name, kind, gross_cents, in_stock')
      .order('gross_cents')
      .throwOnError()
    expect(data).toEqual([
      { name: 'Trowel', kind: 'garden tool', gross_cents: 1080, in_stock: false },
      { name: 'Field guide to finches', kind: 'book', gross_cents: 1800, in_stock: true },
      { name: "Nine men's morris", kind: 'game', gross_cents: 2400, in_stock: true },
    ])
  })

  it('can be filtered by kind, case-insensitive name and text search', async () => {
    const [, game] = Constants.public.Enums.product_kind
    const games = await anyone.from('products').select('name').eq('kind', game).throwOnError()
    expect(games.data).toEqual([{ name: "Nine men's morris" }])
    const shouted = await anyone.from('products').select('name').eq('name', 'TROWEL').throwOnError()
    expect(shouted.data).toEqual([{ name: 'Trowel' }])
    const steel = await anyone.from('products').select('name').textSearch('words', 'steel').throwOnError()
    expect(steel.data).toEqual([{ name: 'Trowel' }])
    const sung = await anyone
      .rpc('search_products', { words: 'bird' })
      .select('name, gross_price')
      .throwOnError()
    expect(sung.data).toEqual([
      { name: 'Field guide to finches', gross_price: { amount: 18, currency: 'EUR' } },
    ])
  })

  it('exposes the second schema, but not the private one', async () => {
    expect(await stockOf(finches)).toBe(3)
    const { error } = await anyone
      .schema('private' as 'public')
      .from('notices' as 'orders')
      .select()
    expect(error).toMatchObject({
      code: 'PGRST106',
      hint: 'Only the following schemas are exposed: public, inventory',
    })
  })

  it('refuses values for generated columns, and writes without sign-in', async () => {
    const admin = clientOf<Database>({ url: backend.url, publishableKey: backend.secretKey })
    const generated = await admin
      .from('products')
      .update({ gross_cents: 1 as never })
      .eq('id', finches)
    expect(generated.error).toMatchObject({ code: '428C9' })
    const { status, data } = await anyone
      .from('products')
      .update({ price_cents: 1 })
      .eq('id', finches)
      .select()
    expect({ status, data }).toEqual({ status: 200, data: [] })
  })

  it('has the role of roles.sql with its grants', async () => {
    const token = await new SignJWT({ role: 'bookkeeper' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1 minute')
      .sign(new TextEncoder().encode(backend.jwtSecret))
    const read = (table: string): Promise<Response> =>
      fetch(`${backend.url}/rest/v1/${table}?limit=1`, {
        headers: { apikey: backend.publishableKey, Authorization: `Bearer ${token}` },
      })
    expect((await read('orders')).status).toBe(200)
    expect(await (await read('products')).json()).toMatchObject({ code: '42501' })
  })
})

describe('functions', () => {
  it('respond without a token if config.toml allows it', async () => {
    const { data } = await anyone.functions.invoke('hello', { body: { name: 'Olive' } })
    expect(data).toEqual({ message: 'Hello Olive, this is The corner shop' })
    const bare = await fetch(`${backend.url}/functions/v1/hello`, { method: 'POST' })
    expect(await bare.json()).toEqual({ message: 'Hello stranger, this is The corner shop' })
  })

  it('respond to preflight requests of any origin', async () => {
    const preflight = await fetch(`${backend.url}/functions/v1/checkout`, {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'POST' },
    })
    expect(preflight.status).toBeLessThan(300)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('require a token otherwise', async () => {
    const bare = await fetch(`${backend.url}/functions/v1/checkout`, { method: 'POST', body: '{"lines":[]}' })
    expect(bare.status).toBe(401)
  })

  it('act as their caller', async () => {
    const lines = [{ product: finches, quantity: 2 }]
    const ordered = await olive.functions.invoke('checkout', { body: { lines } })
    expect(ordered).toMatchObject({ error: null, data: { total_cents: 3600 } })
    expect(await stockOf(finches)).toBe(1)

    const { data: order } = await olive
      .from('orders')
      .select('status, lines:order_lines(quantity, total_cents, products(name))')
      .eq('id', ordered.data.order)
      .single()
      .throwOnError()
    expect(order).toEqual({
      status: 'placed',
      lines: [{ quantity: 2, total_cents: 3600, products: { name: 'Field guide to finches' } }],
    })
  })

  it('return errors of the database', async () => {
    const { error } = await olive.functions.invoke('checkout', {
      body: { lines: [{ product: finches, quantity: 50 }] },
    })
    expect(error).toBeInstanceOf(FunctionsHttpError)
    const { status } = error.context as Response
    expect([status, await (error.context as Response).json()]).toEqual([
      409,
      { error: 'Not enough in stock' },
    ])
  })
})

describe('webhooks', () => {
  it('call a function with secrets of the Vault, which stores the payload', async () => {
    const { data: order } = await olive
      .rpc('place_order', { lines: [{ product: finches, quantity: 1 }] })
      .throwOnError()
    const notices = async (): Promise<unknown> =>
      (await olive.rpc('my_notices').eq('order_id', order).throwOnError()).data
    await expect.poll(notices).toEqual([{ order_id: order, text: `Order ${order} is placed` }])
  })

  it('like those of the dashboard are sent and recorded', async () => {
    const hooked = async (): Promise<unknown> => {
      const { rows } = await sql.query(
        `select hook_name, status_code, content::jsonb ->> 'message' as message
         from supabase_functions.hooks join net._http_response on net._http_response.id = request_id limit 1`,
      )
      return rows
    }
    await expect
      .poll(hooked)
      .toEqual([
        { hook_name: 'stock-changed', status_code: 200, message: 'Hello stranger, this is The corner shop' },
      ])
  })

  it('without the secret are refused by the function', async () => {
    const bare = await fetch(`${backend.url}/functions/v1/order-placed`, { method: 'POST', body: '{}' })
    expect([bare.status, await bare.json()]).toEqual([403, { error: 'Not for you' }])
  })
})

describe('the vault', () => {
  it('shows secrets only to the owner of the database, and stores them encrypted', async () => {
    const { rows } = await sql.query(
      `select decrypted_secret, secret from vault.decrypted_secrets where name = 'shop_secret'`,
    )
    expect(rows).toEqual([{ decrypted_secret: 'a-secret-of-the-shop', secret: expect.any(String) }])
    expect(rows[0]).not.toMatchObject({ secret: 'a-secret-of-the-shop' })
    await sql.query('begin; set local role authenticated')
    await expect(sql.query('select from vault.decrypted_secrets')).rejects.toMatchObject({ code: '42501' })
    await sql.query('rollback')
  })
})

describe('cron', () => {
  it('deletes abandoned carts, and records its runs', async () => {
    const carts = async (): Promise<unknown> =>
      (await olive.from('orders').select('status').is('placed_at', null).throwOnError()).data
    await expect.poll(carts).toEqual([{ status: 'expired' }])
    const { rows } = await sql.query(
      `select distinct status, return_message from cron.job_run_details join cron.job using (jobid)
       where jobname = 'expire-carts' and status = 'succeeded'`,
    )
    expect(rows).toEqual([{ status: 'succeeded', return_message: expect.any(String) }])
  })
})
