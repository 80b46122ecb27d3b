import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RequestOptions, RestServer, RestResponse } from './startRest.ts'

/** Domains named like media types, and functions and aggregates that return them. */
const media = `
create domain "text/plain" as text;
create domain "text/html" as text;
create domain "text/xml" as xml;
create domain "text/csv" as text;
create domain "text/tab-separated-values" as text;
create domain "application/json" as json;
create domain "application/vnd.pgrst.object" as json;
create domain "application/octet-stream" as bytea;
create domain small_file as bytea;
create domain "image/png" as small_file;
create domain "app/jsonb" as jsonb;
create domain "*/*" as bytea;

create function greeting(name text default 'Ann') returns "text/plain" language sql stable as $$ select 'Hello ' || name $$;
create function page() returns "text/html" language sql stable as $$ select '<p>ü</p>' $$;
create function feed() returns "text/xml" language sql stable as $$ select '<a/>'::xml $$;
create function picture() returns "image/png" language sql stable as $$ select '\\x00ff80c3280d0a27'::bytea $$;
create function no_picture() returns "image/png" language sql stable as $$ select null::bytea $$;
create function greetings() returns setof "text/plain" language sql stable as $$ select 'a' union all select 'b' $$;
create function document() returns "app/jsonb" language sql stable as $$ select '{"a": 1}'::jsonb $$;
create function anything() returns "*/*" language plpgsql stable as $$
  declare accept text := current_setting('request.headers', true)::json ->> 'accept';
  begin
    if accept = 'app/none' then raise sqlstate 'PT406' using message = 'None such'; end if;
    if accept like 'app/%' then
      perform set_config('response.headers', json_build_array(json_build_object('Content-Type', accept))::text, true);
    end if;
    return convert_to(accept, 'UTF8');
  end $$;
create function overloaded(a int) returns int language sql immutable as 'select a';
create function overloaded(a int, b int) returns "text/plain" language sql immutable as $$ select 'two' $$;

create function lines_step(state text, next tasks) returns "text/tab-separated-values" language sql immutable as
  $$ select state || next.id || E'\\t' || next.name || E'\\n' $$;
create aggregate task_lines(tasks) (initcond = '', stype = "text/tab-separated-values", sfunc = lines_step);
create view open_tasks as select * from tasks where done is not true;
create function open_step(state text, next open_tasks) returns "text/plain" language sql immutable as $$ select state || next.name || ';' $$;
create aggregate open_lines(open_tasks) (initcond = '', stype = "text/plain", sfunc = open_step);

create function bytes_step(state bytea, next clients) returns "application/octet-stream" language sql immutable as
  $$ select state || decode('00', 'hex') || convert_to(next.name, 'UTF8') $$;
create aggregate client_bytes(clients) (initcond = '', stype = "application/octet-stream", sfunc = bytes_step);

create function json_step(state json, next people) returns "application/json" language sql immutable as $$ select state $$;
create aggregate people_json(people) (initcond = '{"own": true}', stype = "application/json", sfunc = json_step);
create function csv_step(state text, next people) returns "text/csv" language sql immutable as $$ select state || next.name || E'\\n' $$;
create function csv_end(state "text/csv") returns "text/csv" language plpgsql as $$ begin
  perform set_config('response.headers', '[{"Content-Disposition": "attachment; filename=people.csv"}]', true);
  return U&'\\FEFF' || state; end $$;
create aggregate people_csv(people) (initcond = '', stype = "text/csv", sfunc = csv_step, finalfunc = csv_end);
create function object_step(state json, next anyelement) returns "application/vnd.pgrst.object" language sql immutable as $$ select state $$;
create aggregate any_object(anyelement) (initcond = '{"own": true}', stype = "application/vnd.pgrst.object", sfunc = object_step);

create domain "app/rows" as text;
create function rows_step(state text, next anyelement) returns "app/rows" language sql immutable as $$ select state || next::text || E'\\n' $$;
create aggregate any_rows(anyelement) (initcond = '', stype = "app/rows", sfunc = rows_step);
create function details_step(state text, next project_details) returns "app/rows" language sql immutable as $$ select state || 'own' $$;
create aggregate details_rows(project_details) (initcond = '', stype = "app/rows", sfunc = details_step);
create table stars (id int primary key);
insert into stars values (1), (2);
create function all_step(state bytea, next stars) returns "*/*" language sql immutable as $$ select state || convert_to(next.id || ';', 'UTF8') $$;
create aggregate all_of_stars(stars) (initcond = '', stype = "*/*", sfunc = all_step);
create function plain_step(state text, next stars) returns "text/plain" language sql immutable as $$ select 'plain' $$;
create aggregate plain_stars(stars) (initcond = '', stype = "text/plain", sfunc = plain_step);

create table odd (id int primary key, text text, doc jsonb);
insert into odd values (1, E'a,b\\nc "d"', '{"k": [1, "x"]}'), (2, '', 'null'), (3, null, null);
grant all on all tables in schema public to anon;
grant execute on all functions in schema public to anon;
`

let server: RestServer

beforeAll(async () => {
  server = await startRest(fixture)
  await server.owner.query(media)
  await server.rest.reload()
})
afterAll(() => server.stop())

function sendRequest(path: string, accept: string, options: RequestOptions = {}): Promise<RestResponse> {
  return server.request(path, { ...options, headers: { Accept: accept, ...options.headers } })
}

async function bytes(path: string, accept: string): Promise<[type: string | null, hex: string]> {
  const response = await fetch(server.url + path, { headers: { Accept: accept } })
  return [response.headers.get('Content-Type'), Buffer.from(await response.arrayBuffer()).toString('hex')]
}

function named({ status, headers, text }: RestResponse): [status: number, type: string | null, text: string] {
  return [status, headers.get('Content-Type'), text]
}

const notAvailable = (accept: string) => ({
  status: 406,
  json: { code: 'PGRST107', message: `None of these media types are available: ${accept}` },
})

describe('a function that returns a media type', () => {
  it('responds with its value', async () => {
    expect(named(await sendRequest('/rpc/greeting', 'text/plain'))).toEqual([
      200,
      'text/plain; charset=utf-8',
      'Hello Ann',
    ])
    const posted = await sendRequest('/rpc/greeting', 'text/plain', { method: 'POST', body: { name: 'Bea' } })
    expect(posted.text).toBe('Hello Bea')
    expect(named(await sendRequest('/rpc/page', 'text/html'))).toEqual([200, 'text/html', '<p>ü</p>'])
    expect(named(await sendRequest('/rpc/feed', 'TEXT/XML'))).toEqual([
      200,
      'text/xml; charset=utf-8',
      '<a/>',
    ])
    expect(named(await sendRequest('/rpc/document', 'app/jsonb'))).toEqual([200, 'app/jsonb', '{"a": 1}'])
  })

  it('responds with raw bytes, also for nested domains', async () => {
    expect(await bytes('/rpc/picture', 'image/png')).toEqual(['image/png', '00ff80c3280d0a27'])
    expect(await bytes('/rpc/picture?limit=1', 'image/png')).toEqual(['image/png', '00ff80c3280d0a27'])
    const counted = await sendRequest('/rpc/picture', 'image/png', { headers: { Prefer: 'count=exact' } })
    expect(counted.headers.get('Content-Range')).toBe('0-0/1')
    await server.owner.query(`alter role anon set bytea_output = 'escape'`)
    expect((await bytes('/rpc/picture', 'image/png'))[1]).toBe('00ff80c3280d0a27')
    await server.owner.query('alter role anon reset bytea_output')
  })

  it('responds with an empty body for null', async () => {
    const none = await sendRequest('/rpc/no_picture', 'image/png')
    expect([...named(none), none.headers.get('Content-Length')]).toEqual([200, 'image/png', '', '0'])
  })

  it('responds with JSON if that or any type is accepted', async () => {
    expect((await sendRequest('/rpc/greeting', 'application/json')).json).toBe('Hello Ann')
    expect((await sendRequest('/rpc/greeting', '*/*')).json).toBe('Hello Ann')
    expect((await sendRequest('/rpc/greeting', 'text/plain;q=0.5, application/json')).json).toBe('Hello Ann')
    expect((await sendRequest('/rpc/greeting', 'image/png, text/plain;q=0.1')).text).toBe('Hello Ann')
  })

  it('is refused for other types and for single objects', async () => {
    expect(await sendRequest('/rpc/greeting', 'text/html')).toMatchObject(notAvailable('text/html'))
    expect(await sendRequest('/rpc/whoami', 'text/plain')).toMatchObject(notAvailable('text/plain'))
    expect(await sendRequest('/rpc/greetings', 'text/plain')).toMatchObject(notAvailable('text/plain'))
    expect((await sendRequest('/rpc/greetings', 'application/json')).json).toEqual(['a', 'b'])
    expect((await sendRequest('/rpc/overloaded?a=1&b=2', 'text/plain')).text).toBe('two')
    expect(await sendRequest('/rpc/overloaded?a=1', 'text/plain')).toMatchObject(notAvailable('text/plain'))
  })

  it('can handle all types and set the media type', async () => {
    expect(named(await sendRequest('/rpc/anything', 'app/x'))).toEqual([200, 'app/x', 'app/x'])
    for (const accept of ['*/*', 'image/x', 'text/csv', 'application/json']) {
      expect(named(await sendRequest('/rpc/anything', accept))).toEqual([
        200,
        'application/octet-stream',
        accept,
      ])
    }
    expect(await sendRequest('/rpc/anything', 'app/none')).toMatchObject({
      status: 406,
      json: { message: 'None such' },
    })
  })

  it('has the headers of GET for HEAD', async () => {
    const head = await sendRequest('/rpc/greeting', 'text/plain', { method: 'HEAD' })
    expect(named(head)).toEqual([200, 'text/plain; charset=utf-8', ''])
  })
})

describe('an aggregate of rows', () => {
  const tsv = 'text/tab-separated-values'

  it('renders tables, results of functions and written rows', async () => {
    expect(named(await sendRequest('/tasks?id=lt.3&order=id', tsv))).toEqual([
      200,
      tsv,
      '1\tDraw\n2\tBuild\n',
    ])
    expect((await sendRequest('/open_tasks?order=id', 'text/plain')).text).toBe('Build;Paint;Idle;')
    await server.owner.query(`create function tasks_of(project int) returns setof tasks language sql stable as
      $$ select * from tasks where project_id = project order by id $$; grant execute on function tasks_of to anon`)
    await server.rest.reload()
    expect((await sendRequest('/rpc/tasks_of?project=2', tsv)).text).toBe('3\tPaint\n')
    const body = { id: 50, name: 'New' }
    const headers = { Prefer: 'return=representation, tx=rollback' }
    const written = await sendRequest('/tasks', tsv, { method: 'POST', body, headers })
    expect(named(written)).toEqual([201, tsv, '50\tNew\n'])
  })

  it('takes only whole rows', async () => {
    for (const select of ['id,name', 'id', '*,id', '*,projects(id)']) {
      expect(await sendRequest(`/tasks?select=${select}`, tsv)).toMatchObject(notAvailable(tsv))
    }
    expect(await sendRequest('/clients', tsv)).toMatchObject(notAvailable(tsv))
  })

  it('can return bytes', async () => {
    const hex = Buffer.from('\0Mill\0Farm\0Shop').toString('hex')
    expect(await bytes('/clients?order=id', 'application/octet-stream')).toEqual([
      'application/octet-stream',
      hex,
    ])
  })

  it('overrides built-in types, except the vendor types', async () => {
    expect(named(await sendRequest('/people', 'application/json'))).toEqual([
      200,
      'application/json; charset=utf-8',
      '{"own": true}',
    ])
    const csv = await sendRequest('/people?id=lt.3&order=id', 'text/csv')
    expect([...named(csv), csv.headers.get('Content-Disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'Ann\nBea\n',
      'attachment; filename=people.csv',
    ])
    expect((await bytes('/people?id=eq.1', 'text/csv'))[1]).toMatch(/^efbbbf/)
    const one = await sendRequest('/people?id=eq.1&select=id', 'application/vnd.pgrst.object')
    expect(one.json).toEqual({ id: 1 })
    expect((await sendRequest('/people?id=eq.1&select=id', 'application/json')).json).toEqual([{ id: 1 }])
  })

  it('of any row handles tables, selections and functions without their own', async () => {
    expect((await sendRequest('/tasks?select=name,id&id=lt.3&order=id', 'app/rows')).text).toBe(
      '(Draw,1)\n(Build,2)\n',
    )
    expect((await sendRequest('/rpc/as_table', 'app/rows')).text).toBe('(1,one)\n(2,two)\n')
    expect((await sendRequest('/rpc/add?a=1', 'app/rows')).text).toBe('11\n')
    expect((await sendRequest('/rpc/numbers?upto=2', 'app/rows')).text).toBe('(1)\n(2)\n')
    expect((await sendRequest('/project_details', 'app/rows')).text).toBe('ownown')
  })

  it('for all types precedes those for one type', async () => {
    for (const accept of ['*/*', 'text/plain', 'made/up', 'application/json']) {
      expect(named(await sendRequest('/stars?order=id', accept))).toEqual([
        200,
        'application/octet-stream',
        '1;2;',
      ])
    }
    expect((await sendRequest('/stars?select=id&order=id', '*/*')).json).toEqual([{ id: 1 }, { id: 2 }])
  })
})

describe('text/csv', () => {
  const csv = async (path: string): Promise<string> => (await sendRequest(path, 'text/csv')).text

  it('quotes special characters, and distinguishes empty strings from null', async () => {
    expect(await csv('/odd?order=id')).toBe(
      'id,text,doc\n1,"a,b\nc ""d""","{""k"": [1, ""x""]}"\n2,"",null\n3,,',
    )
    expect(await csv('/odd?select=t:text&id=eq.2')).toBe('t\n""')
  })

  it('is an empty line if there are no rows', async () => {
    const none = await sendRequest('/odd?id=eq.99', 'text/csv')
    expect(named(none)).toEqual([200, 'text/csv; charset=utf-8', '\n'])
  })

  it('renders embeds and results of functions', async () => {
    expect(await csv('/projects?select=id,clients(name)&id=eq.1')).toBe('id,clients\n1,"{""name"":""Mill""}"')
    expect(await csv('/rpc/add?a=1')).toBe('pgrst_scalar\n11')
    expect(await csv('/rpc/numbers?upto=2')).toBe('pgrst_scalar\n1\n2')
    expect(await csv('/rpc/as_table?select=word&order=n.desc')).toBe('word\ntwo\none')
    expect((await sendRequest('/rpc/nothing', 'text/csv', { method: 'POST', body: {} })).status).toBe(204)
  })

  it('renders written rows', async () => {
    const headers = { Prefer: 'return=representation, tx=rollback' }
    const written = await sendRequest('/odd?select=id,text', 'text/csv', {
      method: 'POST',
      body: { id: 9, text: 'x' },
      headers,
    })
    expect(named(written)).toEqual([201, 'text/csv; charset=utf-8', 'id,text\n9,x'])
  })
})

describe('application/geo+json', () => {
  it('is available if a function converts rows to features, like that of PostGIS', async () => {
    expect(await sendRequest('/tasks', 'application/geo+json')).toMatchObject(
      notAvailable('application/geo+json'),
    )
    await server.owner
      .query(`create function extensions.st_asgeojson(r record, geom_column text default '') returns text
      language plpgsql immutable as $$ begin return json_build_object('type', 'Feature', 'properties', row_to_json(r)); end $$;
      grant execute on function extensions.st_asgeojson to anon`)
    await server.rest.reload()
    const response = await sendRequest('/tasks?select=id&id=lt.3&order=id', 'application/geo+json')
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      'application/geo+json; charset=utf-8',
    ])
    const feature = (id: number): object => ({ type: 'Feature', properties: { id } })
    expect(response.json).toEqual({ type: 'FeatureCollection', features: [feature(1), feature(2)] })
    const none = await sendRequest('/tasks?id=eq.99', 'application/geo+json')
    expect(none.json).toEqual({ type: 'FeatureCollection', features: [] })
    const client = await server.client()
    expect((await client.from('tasks').select('id').lt('id', 3).order('id').geojson()).data).toEqual(
      response.json,
    )
  })
})

describe('headers of content', () => {
  it('are the same for HEAD and GET', async () => {
    const listed = async (method: string): Promise<string[]> => {
      const { headers } = await sendRequest('/tasks?select=id&limit=2', 'application/json', {
        method,
        headers: { Prefer: 'count=exact' },
      })
      const own = [...headers].filter(
        ([name]) => !['date', 'connection', 'keep-alive', 'content-length'].includes(name),
      )
      return own.map(([name, value]) => `${name}: ${value}`)
    }
    const options = await listed('GET')
    expect(options).toEqual([
      'content-location: /tasks?limit=2&select=id',
      'content-profile: public',
      'content-range: 0-1/4',
      'content-type: application/json; charset=utf-8',
      'preference-applied: count=exact',
      'vary: Accept, Prefer, Range',
    ])
    expect(await listed('HEAD')).toEqual(options)
  })

  it('let caches distinguish requests with different headers', async () => {
    for (const [path, method, isCompressible] of [
      ['/tasks', 'OPTIONS', false],
      ['/', 'GET', true],
      ['/rpc/nothing', 'POST', false],
    ] as const) {
      const { headers } = await sendRequest(path, '*/*', { method })
      expect(headers.get('Vary')).toBe(`Accept, Prefer, Range${isCompressible ? ', Accept-Encoding' : ''}`)
    }
  })

  it('count bytes, not characters', async () => {
    const { headers, text } = await sendRequest('/rpc/page', 'text/html')
    expect([headers.get('Content-Length'), text.length]).toEqual(['9', 8])
  })

  it('contain the number of rows if the range is empty', async () => {
    const beyond = await sendRequest('/tasks?offset=9', 'application/json', {
      headers: { Prefer: 'count=exact' },
    })
    expect([beyond.status, beyond.headers.get('Content-Range')]).toEqual([416, '*/4'])
  })

  it('contain no type if there is no body', async () => {
    const none = await sendRequest('/odd', 'application/json', {
      method: 'POST',
      body: { id: 10 },
      headers: { Prefer: 'tx=rollback' },
    })
    expect([none.status, none.headers.get('Content-Type'), none.headers.get('Content-Length')]).toEqual([
      201,
      null,
      '0',
    ])
  })
})
