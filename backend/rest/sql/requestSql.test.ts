import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../config/loadConfig.ts'
import { parseBody } from '../parse/parseBody.ts'
import { parseQuery } from '../parse/parseQuery.ts'
import { parseRequest } from '../parse/parseRequest.ts'
import { planRequest } from '../plan/planRequest.ts'
import { buildRelationships } from '../schemaCache/buildRelationships.ts'
import { indexHandlers } from '../schemaCache/mediaHandlers.ts'
import { keyOf } from '../schemaCache/qualifiedName.ts'
import type { Column, SchemaCache, Table } from '../schemaCache/schemaCache.ts'
import { restSettings } from '../settings/restSettings.ts'
import { bindValues } from './bindValues.ts'
import { requestSql } from './requestSql.ts'

/** The settings of an empty config.toml. */
const settings = restSettings(loadConfig('/nowhere'))

function table(name: string, primaryKey: string[], columns: string[]): [string, Table] {
  const known = columns.map((column): [string, Column] => {
    const [id = '', type = 'integer'] = column.split(' ')
    return [id, { name: id, type, baseType: type, default: null }]
  })
  const rights = {
    isView: false,
    hidesRows: false,
    insertable: true,
    updatable: true,
    deletable: true,
    roles: ['anon'],
  }
  return [keyOf('public', name), { schema: 'public', name, ...rights, primaryKey, columns: new Map(known) }]
}

function view(name: string, primaryKey: string[], columns: string[]): [string, Table] {
  const [key, base] = table(name, primaryKey, columns)
  return [key, { ...base, isView: true }]
}

const tables = new Map([
  table('posts', ['id'], ['id', 'author_id', 'body text', 'data jsonb']),
  table('authors', ['id'], ['id', 'name text']),
  view('author_views', ['id'], ['id', 'name text']),
  table(`x" y`, ['i"d'], ['i"d']),
])
const key = { schema: 'public', foreignSchema: 'public', isUnique: false }
const cache: SchemaCache = {
  tables,
  relationships: buildRelationships(
    tables,
    [
      {
        ...key,
        constraint: 'author',
        table: 'posts',
        foreignTable: 'authors',
        columns: [['author_id', 'id']],
      },
      {
        ...key,
        constraint: 'author_view',
        table: 'posts',
        foreignTable: 'author_views',
        columns: [['author_id', 'id']],
      },
    ],
    [
      {
        kind: 'computed',
        table: { schema: 'public', name: 'posts' },
        foreign: { schema: 'public', name: 'authors' },
        routine: { schema: 'public', name: 'author_rows' },
        isSingle: true,
      },
    ],
  ),
  routines: new Map(),
  mediaHandlers: indexHandlers({ handlers: [], feature: null }),
}

function sqlOf(method: string, path: string, search = '', text: string | null = null, prefer?: string) {
  const request = parseRequest({ method, path, search, headers: { prefer }, settings })
  const body = text === null ? null : parseBody(text, request.content, { isCall: false, columns: null })
  const query = parseQuery(request.split, false)
  const plan = planRequest({ cache, request, query, body, role: 'anon', settings })
  const { main } = requestSql(plan, { maxRows: 1000, canEstimate: true })
  return { text: main.text, values: bindValues(main.binds, request.split.inputs, body?.text ?? null) }
}

/** Values that must never occur in a statement's text. */
const hostile = [
  `'; drop table posts; --`,
  `"; drop table posts; --`,
  `\\'; --`,
  '$99',
  `E'\\x27'`,
  `$$;drop$$`,
]

describe('requestSql', () => {
  it('generates one SELECT with limits in the text and values as parameters', () => {
    const { text, values } = sqlOf('GET', '/posts', 'select=id&body=like.a*&id=in.(1,"2")&limit=5')
    expect(text).toContain(
      'FROM (SELECT "posts"."id" FROM "public"."posts" AS "posts" WHERE "posts"."body" like $1 AND "posts"."id" = ANY ($2) LIMIT 5)',
    )
    expect(values).toEqual(['a%', '{"1","2"}'])
  })

  it('applies a limit before embeds are joined only if that gives the same rows', () => {
    const { text } = sqlOf('GET', '/posts', 'select=body,authors(name)&id=gt.1&order=id.desc&limit=5')
    expect(text).toContain(
      'FROM (SELECT "posts"."body", "posts"."id", "posts"."author_id" FROM "public"."posts" AS "posts" ' +
        'WHERE "posts"."id" > $1 ORDER BY "posts"."id" DESC LIMIT 5) AS "posts" LEFT JOIN LATERAL',
    )
    expect(text).toContain('ON TRUE ORDER BY "posts"."id" DESC) AS')
    const joinedFirst = [
      'select=id,authors!inner(name)',
      'select=id,authors(name)&authors=not.is.null',
      'select=id,authors(name)&or=(id.eq.1,and(id.eq.2,authors.is.null))',
      'select=id,authors(name)&order=authors(name)',
      // May be functions of the row, which has another type after the limit.
      'select=computed,authors(name)',
      'select=id,authors(name)&order=computed',
      'select=id,author_rows(name)',
      'select=id,author_views(name)',
    ]
    for (const search of joinedFirst) {
      expect(sqlOf('GET', '/posts', `${search}&limit=5`).text).not.toContain('LIMIT 5) AS "posts"')
    }
  })

  it('never contains values of a request', () => {
    for (const value of hostile) {
      const escaped = encodeURIComponent(value)
      const quoted = encodeURIComponent(`"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
      const search = [
        `body=eq.${escaped}`,
        `body=in.(${quoted})`,
        `or=(body.eq.${quoted},id.in.(${quoted}))`,
        `data->>${quoted}=eq.${escaped}`,
        `order=data->${quoted}`,
      ].join('&')
      const { text, values } = sqlOf('GET', '/posts', `select=x:data->${quoted}&${search}`)
      expect(text).not.toContain(value)
      expect(values.filter((bound) => bound === value).length).toBeGreaterThanOrEqual(4)
    }
  })

  it('quotes every name of a request', () => {
    for (const value of [...hostile, 'a"b', 'nul\u0000nul']) {
      const quoted = encodeURIComponent(`"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
      const { text } = sqlOf('GET', '/posts', `select=${quoted}:id&${quoted}=eq.1&order=${quoted}`)
      const name = `"${value.replaceAll('\u0000', '').replaceAll('"', '""')}"`
      expect(text).toContain(`"posts"."id" AS ${name}`)
      expect(text).toContain(`WHERE "posts".${name} = $`)
      expect(text).not.toContain('\u0000')
    }
    expect(sqlOf('GET', `/${encodeURIComponent(`x" y`)}`, '').text).toContain(
      `FROM "public"."x"" y" AS "x"" y"`,
    )
  })

  it('accepts only an unquoted name as cast', () => {
    expect(sqlOf('GET', '/posts', 'select=id::text').text).toContain('CAST("posts"."id" AS text)')
    for (const cast of [`text"`, "text'", 'text;', 'text--', 'a.b', 'text/*', 'numeric(1,2)', 'text[]']) {
      for (const before of ['id', 'id.sum()', 'count()']) {
        expect(() => sqlOf('GET', '/posts', `select=${before}::${encodeURIComponent(cast)}`)).toThrow(
          'failed to parse select',
        )
      }
    }
  })

  it('uses unique aliases for joined tables', () => {
    const { text } = sqlOf('GET', '/posts', 'select=id,a:authors(name),b:authors(name)')
    const aliases = [...text.matchAll(/ AS "((?:authors|pgrst_rows)[^"]*)" WHERE/g)].map(([, alias]) => alias)
    expect(new Set(aliases).size).toBe(2)
  })

  it('writes rows from one JSON parameter', () => {
    const { text, values } = sqlOf('POST', '/posts', '', '[{"id":1,"body":"x"}]')
    expect(text).toContain(
      'INSERT INTO "public"."posts"("body", "id") SELECT pgrst_body."body", pgrst_body."id" ' +
        'FROM json_to_recordset($1::json) AS pgrst_body("body" text, "id" integer)',
    )
    expect(values).toEqual(['[{"id":1,"body":"x"}]'])
    expect(() => sqlOf('POST', '/posts', '', '{"bo\\"dy":1}')).toThrow("Could not find the 'bo\"dy' column")
  })

  it('needs no SELECT privilege unless rows are returned', () => {
    expect(sqlOf('PATCH', '/posts', 'id=eq.1', '{"body":"x"}').text).toContain('RETURNING 1')
    expect(
      sqlOf('PATCH', '/posts', 'id=eq.1&select=body', '{"body":"x"}', 'return=representation').text,
    ).toContain('RETURNING "public"."posts"."body", "public"."posts"."id"')
  })

  it('grows linearly with the request', () => {
    const depth = 24
    const names = Array.from({ length: depth }, (_, i) => (i % 2 === 0 ? 'authors' : 'posts'))
    const select = names.map((name) => `${name}(`).join('') + 'id' + ')'.repeat(depth)
    const logic = names.map((name, i) => {
      const path = names.slice(0, i).map((each) => `${each}.`)
      return `${path.join('')}or=(${name}.is.null,${name}.not.is.null,${name}.is.null)`
    })
    const { text } = sqlOf('GET', '/posts', [`select=${select}`, ...logic].join('&'), null, 'count=exact')
    expect(text.length).toBeLessThan(depth * 1_000)
  })

  it('uses every parameter that it declares', () => {
    const all = [
      sqlOf(
        'GET',
        '/posts',
        'select=*,authors!inner(*)&authors.name=eq.x&or=(id.eq.1,authors.is.null)',
        null,
        'count=exact',
      ),
      sqlOf('POST', '/posts', '', '{}'),
      sqlOf('POST', '/posts', '', '[]'),
      sqlOf('PATCH', '/posts', 'id=eq.1', '{}', 'return=representation'),
      sqlOf('DELETE', '/posts', 'id=eq.1'),
      sqlOf('PUT', '/posts', 'id=eq.1', '{"id":1}'),
    ]
    for (const { text, values } of all) {
      const used = new Set([...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
      expect([text, [...used].sort((a, b) => a - b)]).toEqual([text, values.map((_, i) => i + 1)])
    }
  })
})
