import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RequestOptions, RestServer, RestResponse } from './startRest.ts'

/** No response to anon may contain a name with payroll, unless the request did. */
const schema = `${fixture}
create table payroll (id int primary key, client_id int constraint payroll_client_fkey references clients);
create table payroll_links (
  client_id int constraint payroll_links_client references clients,
  person_id int constraint payroll_links_person references people, primary key (client_id, person_id));
create table client_people (
  client_id int references clients, person_id int references people, primary key (client_id, person_id));
create table payroll_people (
  client_id int references clients, boss_id int references people, primary key (client_id, boss_id));
create function payroll_total(a int) returns int language sql as 'select 1';
create function pay(wanted int) returns int language sql as 'select 1';
create function pay(wanted text) returns int language sql as 'select 1';
create function pay(wanted int, payroll_key int default 1) returns int language sql as 'select 1';
revoke all on function payroll_total, pay(int, int) from public, anon, authenticated, service_role;
revoke all on payroll, payroll_links, payroll_people from anon, authenticated, service_role;
grant all on client_people to anon;

create table slips (id int primary key, label text unique, owner text);
alter table slips enable row level security;
create policy "people see their own" on slips using (owner = current_user::text) with check (true);
insert into slips values (1, 'hidden', 'ann'), (2, 'seen', 'anon');
grant all on slips to anon;
create view open_slips with (security_invoker) as select * from slips;
grant select on open_slips to anon;
create function count_slips() returns setof slips language sql stable as 'select * from slips';

create function raises_message(message text) returns void language plpgsql as $$
  begin raise exception using errcode = 'PT400', message = message; end $$;
create function sets(header json) returns void language plpgsql as $$
  begin perform set_config('response.headers', json_build_array(header)::text, true); end $$;
create function leaves(name text, value text) returns void language plpgsql as $$
  begin perform set_config(name, value, false); end $$;
create function finds(name text) returns text language sql as 'select current_setting(name, true)';
create table accounts (id int primary key, label text check (label <> ''), secret text not null default 'hidden');
insert into accounts values (1, 'a');
revoke all on accounts from anon;
grant select (id, label), insert (id, label), update (label) on accounts to anon;
create view labelled as select * from accounts where label <> 'x' with check option;
revoke all on labelled from anon;
create function relabel(new_label text) returns void language sql security definer as 'update accounts set label = new_label';
create function relabel_view(new_label text) returns void language plpgsql security definer as $$
  begin update labelled set label = new_label; end $$;
create function raises_detail() returns void language plpgsql as $$
  begin raise exception using errcode = '23514', detail = 'of its own'; end $$;
grant execute on function raises_message, sets, leaves, finds, count_slips, relabel, relabel_view, raises_detail to anon;`

let server: RestServer
beforeAll(async () => {
  // Few connections, so that the next caller gets the same one.
  server = await startRest(schema, { max: 2 })
})
afterAll(() => server?.stop())

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<RestResponse> =>
  server.request(path, { method: 'POST', body, headers })

describe('names', () => {
  it.each<[string, RequestOptions?]>([
    ['/pay'],
    ['/clients?select=id,pay(id)'],
    ['/clients?select=id,people(id)'],
    ['/clients?select=id,people!nope(id)'],
    ['/people?select=id,clients(id)'],
    ['/rpc/pay?wanted=1'],
    ['/rpc/pay?nope=1'],
    ['/rpc/pay', { method: 'POST', body: { wanted: 1, nope: 2 } }],
    ['/rpc/pay_total?a=1'],
    ['/'],
    ['/', { headers: { Accept: 'application/openapi+json' } }],
  ])('that anon cannot access are not revealed: %s', async (path, options) => {
    expect((await server.request(path, options)).text).not.toContain('payroll')
  })

  it('that anon can access are suggested', async () => {
    expect((await server.request('/slip')).text).toContain("'public.slips'")
    expect((await server.request('/rpc/pay?wanted=1')).text).toContain('public.pay(wanted => integer)')
    expect((await server.request('/')).text).toContain('"slips"')
  })

  it('of accessible choices are listed', async () => {
    const { json } = await server.request('/clients?select=id,people(id)')
    expect(json).toMatchObject({
      code: 'PGRST201',
      hint:
        "Try changing 'people' to one of the following: 'people!client_people'. " +
        "Find the desired relationship in the 'details' key.",
    })
    expect((await server.request('/clients?select=id,people!client_people(id)')).status).toBe(200)
  })
})

describe('rows', () => {
  it('that are hidden are never counted', async () => {
    for (const count of ['exact', 'planned', 'estimated']) {
      for (const path of ['/slips', '/open_slips', '/rpc/count_slips']) {
        const response = await server.request(`${path}?owner=eq.ann`, {
          headers: { Prefer: `count=${count}` },
        })
        expect(response.headers.get('Content-Range')).toMatch(/^\*\/[0*]$/)
      }
    }
  })

  it('that are hidden are not revealed by a plan', async () => {
    const response = await server.request('/slips', {
      headers: { Accept: 'application/vnd.pgrst.plan+json' },
    })
    expect(response).toMatchObject({ status: 406, json: { code: 'PGRST107' } })
  })

  it('that cause a conflict are reported without their contents', async () => {
    const response = await post('/slips', { id: 9, label: 'hidden', owner: 'anon' })
    expect(response).toMatchObject({ status: 409, json: { code: '23505', details: null } })
    for (const resolution of ['merge-duplicates', 'ignore-duplicates']) {
      const upserted = await post(
        '/slips?on_conflict=label',
        { id: 9, label: 'hidden', owner: 'anon' },
        { Prefer: `return=representation, resolution=${resolution}` },
      )
      expect(upserted.text).not.toContain('ann')
    }
  })
})

describe('a response', () => {
  it('cannot be split by SQL', async () => {
    for (const message of ['a\r\nX-Evil: 1', 'a\nb', '\u010d\u010aX-Evil: 1', '\u0085', '\u{1f426}']) {
      const raised = await post('/rpc/raises_message', { message })
      expect(raised).toMatchObject({ status: 400, json: { code: 'PT400', message } })
      const set = await post('/rpc/sets', { header: { 'X-Own': message } })
      expect([raised.headers.get('X-Evil'), set.headers.get('X-Evil')]).toEqual([null, null])
    }
  })

  it('does not take a value for a row count', async () => {
    const response = await server.request('/pairs?a=eq.1', {
      method: 'PATCH',
      body: { a: 'pgrst_rows=3' },
      headers: { Prefer: 'handling=strict, max-affected=5' },
    })
    expect(response).toMatchObject({ status: 400, json: { code: '22P02' } })
  })

  it('has the length that Node sets, whatever SQL sets', async () => {
    const framing = 'Content-Length transfer-encoding Connection Keep-Alive Trailer Upgrade'.split(' ')
    for (const name of [...framing, 'X A', 'X:A', '', 'X\r\nA']) {
      expect(await post('/rpc/sets', { header: { [name]: '0' } })).toMatchObject({
        status: 500,
        json: { code: 'PGRST111' },
      })
    }
    expect((await post('/rpc/sets', { header: { 'X-Own': '0' } })).headers.get('X-Own')).toBe('0')
  })
})

describe('a connection', () => {
  it.each([
    ['role', 'service_role'],
    ['search_path', 'hidden'],
    ['request.jwt.claims', '{"role":"boss"}'],
    ['statement_timeout', '1'],
    ['timezone', 'Asia/Tokyo'],
    ['row_security', 'off'],
    ['client_encoding', 'LATIN1'],
    ['standard_conforming_strings', 'off'],
    ['pgrst.inserted', '5'],
    ['response.headers', '[{"X-Left":"1"}]'],
    ['app.own', 'left'],
  ])('keeps no state of %s for the next caller', async (name, value) => {
    const before = (await server.request(`/rpc/finds?name=${name}`)).text
    await post('/rpc/leaves', { name, value })
    for (let next = 0; next < 4; next++) {
      const response = await server.request(`/rpc/finds?name=${name}`)
      expect([response.text === 'null' ? '""' : response.text, response.headers.get('X-Left')]).toEqual([
        before === 'null' ? '""' : before,
        null,
      ])
    }
  })
})

describe('one plan', () => {
  const callers: [string, RequestOptions, number[]][] = [
    ['anon', {}, []],
    ['Ann', { claims: { role: 'authenticated', name: 'Ann' } }, [2]],
    ['Bea', { claims: { role: 'authenticated', name: 'Bea' } }, [1]],
    ['Omar', { claims: { role: 'authenticated', name: 'Omar' } }, []],
    ['the service', { headers: { apikey: 'service' } }, [1, 2]],
  ]

  it('returns the own rows of each caller, in any order of requests', async () => {
    const order = Array.from(
      { length: 100 },
      (_, n) => callers[(n * 7 + Math.floor(n / 5)) % callers.length]!,
    )
    const response = await Promise.all(
      order.map(async ([name, options]) => [
        name,
        (await server.request('/notes?select=id&order=id', options)).json,
      ]),
    )
    expect(response).toEqual(order.map(([name, , ids]) => [name, ids.map((id) => ({ id }))]))
  })
})

it('a violated constraint does not describe a row that a function of another role has written', async () => {
  const details = async (path: string, method: string, body: object): Promise<unknown> => {
    const response = await server.request(path, { method, body })
    return [response.status, (response.json as { details: unknown }).details]
  }
  // PostgreSQL leaves out the columns that the caller may not read.
  expect(await details('/accounts?id=eq.1', 'PATCH', { label: '' })).toEqual([
    400,
    'Failing row contains (id, label) = (1, ).',
  ])
  expect(await details('/rpc/relabel', 'POST', { new_label: '' })).toEqual([400, null])
  expect(await details('/rpc/relabel_view', 'POST', { new_label: 'x' })).toEqual([400, null])
  expect(await details('/rpc/raises_detail', 'POST', {})).toEqual([400, 'of its own'])
})
