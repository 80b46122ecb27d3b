import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectOpenApi } from './expectOpenApi.ts'
import { openApiSchema } from './openApiSchema.ts'
import { startRest } from './startRest.ts'
import type { RestServer, RestResponse } from './startRest.ts'

interface Described {
  info: { title: string; description: string }
  host: string
  basePath: string
  schemes: string[]
  paths: Record<
    string,
    Record<string, { parameters?: { $ref?: string; name?: string }[]; [key: string]: unknown }>
  >
  definitions: Record<
    string,
    { properties: Record<string, unknown>; required?: string[]; description?: string }
  >
  parameters: Record<string, unknown>
}

let server: RestServer
/** The description of the first schema for the service role. */
let all: Described
beforeAll(async () => {
  server = await startRest(openApiSchema, {
    superuser: `create extension postgres_fdw; create server away foreign data wrapper postgres_fdw;
      grant usage on foreign server away to postgres;
      create foreign data wrapper idle; create server nowhere foreign data wrapper idle;
      grant usage on foreign server nowhere to postgres`,
  })
  all = (await server.request('/', { headers: { apikey: 'service' } })).json as Described
})
afterAll(() => server.stop())

const profile = (name: string): { headers: Record<string, string> } => ({
  headers: { 'Accept-Profile': name },
})
const column = (table: string, name: string): unknown => all.definitions[table]?.properties[name]

describe('the root', () => {
  it('responds with a valid OpenAPI 2.0 document', async () => {
    for (const accept of ['application/openapi+json', 'application/json', '*/*']) {
      const response = await server.request('/', { headers: { apikey: 'service', Accept: accept } })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/openapi+json; charset=utf-8')
      expectOpenApi(response.json)
    }
    expect(() => expectOpenApi({ ...all, host: undefined, surprise: 1 })).toThrow('surprise')
  })

  it('responds to HEAD without a body', async () => {
    const response = await server.request('/', { method: 'HEAD' })
    expect([response.status, response.text, response.headers.get('content-length')]).toEqual([200, '', null])
    expect(response.headers.get('content-type')).toBe('application/openapi+json; charset=utf-8')
  })

  it('supports no other media type, and other paths do not support this one', async () => {
    expect(await server.request('/', { headers: { Accept: 'text/csv' } })).toMatchObject({
      status: 406,
      json: { code: 'PGRST107', message: 'None of these media types are available: text/csv' },
    })
    const elsewhere = await server.request('/perches', { headers: { Accept: 'application/openapi+json' } })
    expect(elsewhere.status).toBe(406)
  })

  it('refuses an invalid query', async () => {
    expect((await server.request('/?select=id&id=eq.1')).status).toBe(200)
    for (const method of ['GET', 'OPTIONS']) {
      expect(await server.request('/?id=1', { method })).toMatchObject({ status: 400 })
      expect(await server.request('/perches?id=1', { method })).toMatchObject({ status: 400 })
    }
  })

  it('allows only reading', async () => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
      expect(await server.request('/', { method })).toMatchObject({ status: 405, json: { code: 'PGRST117' } })
    }
    expect((await server.request('/', { method: 'OPTIONS' })).headers.get('allow')).toBe('OPTIONS,GET,HEAD')
  })

  it('contains the URL of the service', async () => {
    const url = new URL(server.url)
    expect(all).toMatchObject({ host: url.host, basePath: '/rest/v1', schemes: ['http'] })
    const proxied = await server.beside({ openApiServerProxyUri: 'https://nest.example/api' })
    const document = (await proxied('/')).json
    expectOpenApi(document)
    expect(document).toMatchObject({ host: 'nest.example:443', basePath: '/api', schemes: ['https'] })
  })

  it('contains a security definition only if configured', async () => {
    expect(all).not.toHaveProperty('security')
    const secured = await server.beside({ openApiSecurityActive: true })
    const document = (await secured('/')).json
    expectOpenApi(document)
    expect(document).toMatchObject({
      security: [{ JWT: [] }],
      securityDefinitions: { JWT: { type: 'apiKey', in: 'header', name: 'Authorization' } },
    })
  })

  it('can be disabled for all requests', async () => {
    const hidden = await server.beside({ openApiMode: 'disabled' })
    for (const method of ['GET', 'OPTIONS', 'DELETE']) {
      expect(await hidden('/', { method })).toMatchObject({ status: 404, json: { code: 'PGRST126' } })
    }
    expect(await hidden('/', profile('nowhere'))).toMatchObject({ status: 404, json: { code: 'PGRST126' } })
    expect((await hidden('/perches')).status).toBe(200)
  })

  it('can be replaced by a function', async () => {
    const own = await server.beside({ rootSpec: { schema: 'public', name: 'root_document' } })
    const response = await own('/', { headers: { Accept: 'application/json' } })
    expect(response.json).toEqual({ swagger: '2.0', info: {} })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await own('/', { method: 'PATCH' })).toMatchObject({ status: 405, json: { code: 'PGRST101' } })
  })
})

describe('the description', () => {
  it('contains objects that the caller can access, or everything if configured', async () => {
    const asAnon = (await server.request('/')).json as Described
    const asMember = (await server.request('/', { claims: { role: 'authenticated' } })).json as Described
    const seen = ({ paths }: Described): boolean[] =>
      ['/perches', '/hidden_away', '/rpc/secret', '/rpc/add'].map((path) => Object.hasOwn(paths, path))
    expect(seen(all)).toEqual([true, true, true, true])
    expect(seen(asAnon)).toEqual([true, false, false, true])
    // A privilege on a column suffices.
    expect(asMember.definitions).toHaveProperty('hidden_away')
    expect(asMember.definitions).not.toHaveProperty('perches')
    const ignoring = await server.beside({ openApiMode: 'ignore-privileges' })
    expect(seen((await ignoring('/')).json as Described)).toEqual([true, true, true, true])
  })

  it('is that of the requested schema', async () => {
    const response = await server.request('/', profile('other'))
    expect(response.headers.get('content-profile')).toBe('other')
    const { paths, info } = response.json as Described
    expect(Object.keys(paths)).toEqual(['/', '/things', '/rpc/other_add'])
    expect(info).toMatchObject({
      title: 'PostgREST API',
      description: 'This is a dynamic API generated by PostgREST',
    })
    expect(all.paths).not.toHaveProperty('/things')
    expect(await server.request('/', profile('hidden'))).toMatchObject({
      status: 406,
      json: {
        code: 'PGRST106',
        message: 'Invalid schema: hidden',
        hint: 'Only the following schemas are exposed: public, other',
      },
    })
  })

  it('contains comments', () => {
    expect(all.info).toMatchObject({ title: 'The nest', description: 'What the birds\ntold each other' })
    expect(all.paths['/perches']?.get).toMatchObject({
      tags: ['perches'],
      summary: 'Where birds sit',
      description: 'High up,\nout of reach.',
    })
    expect(all.definitions.perches?.description).toBe('Where birds sit\n\nHigh up,\nout of reach.')
    expect(all.parameters['rowFilter.perches.id']).toMatchObject({ description: 'Given by us' })
    expect(all.paths['/rpc/add']?.get).toMatchObject({ summary: 'Adds', description: 'Two numbers.' })
    expect(all.paths['/birds']?.get).not.toHaveProperty('summary')
  })

  it('is reloaded when the schema changes', async () => {
    await server.owner.query(`comment on table animals is 'All of them'`)
    await server.rest.reload()
    const { definitions } = (await server.request('/')).json as Described
    expect(all.definitions.animals).not.toHaveProperty('description')
    expect(definitions.animals?.description).toBe('All of them')
  })
})

describe('tables', () => {
  it('have the methods of their possible operations', () => {
    const verbs = (name: string): string => Object.keys(all.paths[`/${name}`] ?? {}).join(' ')
    expect(verbs('perches')).toBe('get post patch delete')
    expect(verbs('perch_names')).toBe('get post patch delete')
    expect(verbs('perch_count')).toBe('get')
    expect(verbs('wishes')).toBe('get delete')
    expect(verbs('old_perches')).toBe('get')
    expect(verbs('far_birds')).toBe('get post patch delete')
    // Its foreign data wrapper has no handler.
    expect(verbs('lost_birds')).toBe('get')
    expect(verbs('sightings')).toBe('get post patch delete')
    expect(verbs('sightings_2026')).toBe('')
    expect(verbs('cats')).toBe('get post patch delete')
  })

  it('have a parameter for each column and the shared ones', () => {
    const { get, post, patch, delete: remove } = all.paths['/birds']!
    const names = (operation: typeof get): string =>
      operation!.parameters!.map(({ $ref }) => $ref!.replace('#/parameters/', '')).join(' ')
    const filters = 'rowFilter.birds.id rowFilter.birds.perch_id rowFilter.birds.a b~1c'
    expect(names(get)).toBe(`${filters} select order range rangeUnit offset limit preferCount`)
    expect(names(post)).toBe('body.birds select preferPost')
    expect(names(patch)).toBe(`${filters} body.birds preferReturn`)
    expect(names(remove)).toBe(`${filters} preferReturn`)
    expect(get!.responses).toEqual({
      200: { description: 'OK', schema: { type: 'array', items: { $ref: '#/definitions/birds' } } },
      206: { description: 'Partial Content' },
    })
  })

  it('contain the types of their columns', () => {
    expect(column('perches', 'few')).toEqual({ type: 'integer', format: 'int32' })
    expect(column('perches', 'many')).toEqual({ type: 'integer', format: 'int64', default: 42 })
    expect(column('perches', 'weight')).toEqual({ type: 'number', format: 'real' })
    expect(column('perches', 'code')).toEqual({ type: 'string', format: 'character', maxLength: 3 })
    expect(column('perches', 'bits')).toEqual({ type: 'string', format: 'bit', maxLength: 4 })
    expect(column('perches', 'words')).toEqual({ type: 'array', format: 'text[]', items: { type: 'string' } })
    expect(column('perches', 'docs')).toEqual({ type: 'array', format: 'json[]', items: {} })
    expect(column('perches', 'spots')).toMatchObject({ format: 'public.spot[]', items: { type: 'string' } })
    expect(column('perches', 'moods')).toMatchObject({ format: 'public.mood[]', items: { type: 'string' } })
    expect(column('perches', 'doubled')).toEqual({ type: 'number', format: 'numeric' })
    expect(column('cats', 'name')).toEqual({ type: 'string', format: 'text' })
  })

  it('resolve domains', () => {
    expect(column('perches', 'label')).toEqual({ type: 'string', format: 'character varying', maxLength: 8 })
    const labels = ['low', 'even', 'high']
    expect(column('perches', 'mood')).toEqual({
      type: 'string',
      format: 'public.mood',
      enum: labels,
      default: 'even',
    })
    expect(column('perches', 'humour')).toEqual({ type: 'string', format: 'public.humour', enum: labels })
    expect(all.definitions.perches?.required).toEqual(['id', 'name', 'mood', 'label'])
  })

  it('contain defaults that JSON can represent', () => {
    const defaults = Object.entries(all.definitions.perches!.properties).flatMap(([name, property]) => {
      const value = (property as { default?: unknown }).default
      return value === undefined ? [] : [[name, value]]
    })
    expect(Object.fromEntries(defaults)).toEqual({
      name: "it's free",
      mood: 'even',
      size: 1.5,
      seen: 'now()',
      flag: false,
      many: 42,
    })
  })

  it('note keys, also of views and one-to-one relationships', () => {
    const note = (text: string): { description: string } => ({ description: text })
    const primary = 'This is a Primary Key.<pk/>'
    expect(column('perches', 'id')).toMatchObject(note(`Given by us\n\nNote:\n${primary}`))
    expect(column('birds', 'perch_id')).toMatchObject(
      note("Note:\nThis is a Foreign Key to `perches.id`.<fk table='perches' column='id'/>"),
    )
    expect(column('rings', 'bird_id')).toMatchObject(
      note(`Note:\n${primary}\nThis is a Foreign Key to \`birds.id\`.<fk table='birds' column='id'/>`),
    )
    expect(column('perch_names', 'id')).toMatchObject(note(`Note:\n${primary}`))
    expect(column('birds', 'id')).toEqual({ type: 'integer', format: 'int32', ...note(`Note:\n${primary}`) })
  })
})

describe('functions', () => {
  const call = (name: string): Record<string, unknown> => all.paths[`/rpc/${name}`] ?? {}

  it('have POST, and GET unless they are volatile', () => {
    expect(Object.keys(call('add'))).toEqual(['get', 'post'])
    expect(Object.keys(call('joined'))).toEqual(['get', 'post'])
    expect(Object.keys(call('change'))).toEqual(['post'])
    expect(all.paths).not.toHaveProperty('/rpc/refuse')
    expect(all.paths).not.toHaveProperty('/rpc/no_function')
  })

  it('describe arguments in the query', () => {
    expect(call('add').get).toMatchObject({
      tags: ['(rpc) add'],
      parameters: [
        { name: 'a', in: 'query', required: true, type: 'integer', format: 'int32' },
        { name: 'b', in: 'query', required: false, type: 'integer', format: 'int32' },
      ],
    })
    expect(call('joined').get).toMatchObject({
      parameters: [
        {
          name: 'words',
          type: 'array',
          items: { type: 'string', format: 'text' },
          collectionFormat: 'multi',
        },
      ],
    })
  })

  it('describe arguments in the body', () => {
    expect(call('change').post).toMatchObject({
      parameters: [
        {
          name: 'args',
          in: 'body',
          required: true,
          schema: {
            type: 'object',
            properties: {
              a: { type: 'string', format: 'mood' },
              b: { type: 'array', format: 'text[]', items: { type: 'string' } },
              c: { format: 'json' },
            },
            required: ['a', 'b'],
          },
        },
        { $ref: '#/parameters/preferParams' },
      ],
    })
    expect(call('outs').post).toMatchObject({ parameters: [{ schema: { required: ['a'] } }, {}] })
    expect(call('nothing').post).toMatchObject({ parameters: [{ schema: { type: 'object' } }, {}] })
  })

  it('are described once per name, with the most parameters', () => {
    expect(call('over').get).toMatchObject({ parameters: [{ name: 'a' }, { name: 'b' }] })
  })
})

describe('OPTIONS', () => {
  const allowed = async (path: string): Promise<string | null> => {
    const response: RestResponse = await server.request(path, { method: 'OPTIONS' })
    expect([response.status, response.text, response.headers.get('content-length')]).toEqual([200, '', '0'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    return response.headers.get('allow')
  }

  it('lists the methods of a table or view', async () => {
    const every = 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE'
    expect(await allowed('/perches')).toBe(every)
    expect(await allowed('/sightings')).toBe(every)
    expect(await allowed('/perch_names')).toBe(every)
    expect(await allowed('/perch_count')).toBe('OPTIONS,GET,HEAD')
    expect(await allowed('/old_perches')).toBe('OPTIONS,GET,HEAD')
    expect(await allowed('/wishes')).toBe('OPTIONS,GET,HEAD,DELETE')
    expect(await allowed('/far_birds')).toBe('OPTIONS,GET,HEAD,POST,PATCH,DELETE')
    // Keys are not inherited.
    expect(await allowed('/cats')).toBe('OPTIONS,GET,HEAD,POST,PATCH,DELETE')
  })

  it('lists the methods of a function; the query selects the overload', async () => {
    expect(await allowed('/rpc/nothing')).toBe('OPTIONS,POST')
    expect(await allowed('/rpc/add?a=1')).toBe('OPTIONS,GET,HEAD,POST')
    expect(await server.request('/rpc/add', { method: 'OPTIONS' })).toMatchObject({
      status: 404,
      json: { code: 'PGRST202' },
    })
  })

  it('is 404 for unknown resources', async () => {
    const at = async (path: string): Promise<unknown> =>
      (await server.request(path, { method: 'OPTIONS' })).json
    expect(await at('/perch')).toMatchObject({ code: 'PGRST205' })
    expect(await at('/sightings_2026')).toMatchObject({ code: 'PGRST205' })
    expect(await at('/rpc/unlisted')).toMatchObject({ code: 'PGRST202' })
    expect(await at('/perches/1')).toMatchObject({ code: 'PGRST125' })
    expect(await at('/perches/')).toMatchObject({ code: 'PGRST125' })
  })
})

describe('profiles', () => {
  it('are named in the response if several are exposed or one was requested', async () => {
    const only = await server.beside({ schemas: ['public'] })
    expect((await server.request('/perches')).headers.get('content-profile')).toBe('public')
    expect((await only('/perches')).headers.get('content-profile')).toBeNull()
    expect((await only('/perches', profile('public'))).headers.get('content-profile')).toBe('public')
    expect(await only('/things', profile('other'))).toMatchObject({ status: 406, json: { code: 'PGRST106' } })
  })
})
